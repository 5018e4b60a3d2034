// SPDX-License-Identifier: Apache-2.0
// Behaviour of podsim's pages: tooltips on charts, sorting and filtering of tables, tables in pages. Without scripts
// everything is readable except tables that are data.
"use strict";
document.documentElement.classList.add("scripted");

const report = (() => {
  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key === "class") made.className = value;
      else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
      else if (value === true) made.setAttribute(key, "");
      else if (value !== false && value !== undefined) made.setAttribute(key, value);
    }
    made.append(...children);
    return made;
  };
  // The namespace of SVG, taken from the parser.
  const sample = document.createElement("div");
  sample.innerHTML = "<svg/>";
  const svg = (name, attributes = {}, text) => {
    const made = document.createElementNS(sample.firstChild.namespaceURI, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const data = (id) => {
    const block = document.getElementById(id);
    return block ? JSON.parse(block.textContent) : null;
  };

  /** Restores texts from forms and the numbers in their holes (compact_text.h). */
  const texts = ({forms, form, numbers}) => {
    let next = 0;
    return form.map((which) => forms[which].replace(/\x01/g, () => numbers[next++]));
  };

  // --- figures --------------------------------------------------------------------------------------------------
  const prefixes = [[1e18, "E"], [1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"],
    [1e-6, "µ"], [1e-9, "n"], [1e-12, "p"]];
  /** As si_text() in si_text.h: 0.119 of "s" is "119 ms". */
  const si = (value, unit, digits = 4) => {
    if (value === 0) return `0 ${unit}`.trim();
    for (const [factor, prefix] of prefixes) {
      const scaled = value / factor;
      if (Math.abs(scaled) < 1 - 0.5 * 10 ** -digits) continue;
      const number = Math.abs(scaled) >= 10 ** digits ? Math.round(scaled) : Number(scaled.toPrecision(digits));
      return `${number} ${prefix}${unit}`.trim();
    }
    return `${Number(value.toPrecision(digits))} ${unit}`.trim();
  };

  // --- tips -----------------------------------------------------------------------------------------------------
  const tip = element("div", {id: "tip", role: "status", hidden: true});
  document.body.append(tip);
  const hideTip = () => { tip.hidden = true; };
  const showTip = (text, x, y) => {
    if (tip.textContent !== text) tip.textContent = text;
    tip.hidden = false;
    const box = tip.getBoundingClientRect(), room = 8;
    const left = Math.min(Math.max(room, x - box.width / 2), document.documentElement.clientWidth - box.width - room);
    const above = y - box.height - 14;
    tip.style.left = `${left}px`;
    tip.style.top = `${above > room ? above : y + 18}px`;
  };
  const tipAt = (target) => {
    const box = target.getBoundingClientRect();
    showTip(target.dataset.tip, box.left + box.width / 2, box.top);
  };
  document.addEventListener("pointermove", (event) => {
    const target = event.target.closest?.("[data-tip]");
    if (target) showTip(target.dataset.tip, event.clientX, event.clientY);
    else if (!event.target.closest?.("[data-own-tip]")) hideTip();
  });
  document.addEventListener("pointerdown", (event) => {
    const target = event.target.closest?.("[data-tip]");
    if (target) showTip(target.dataset.tip, event.clientX, event.clientY);
  });
  document.addEventListener("scroll", hideTip, {passive: true, capture: true});
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hideTip(); });

  // A chart is one stop of the tab key; the arrow keys move between its marks.
  const walkable = (chart) => {
    const marks = [...chart.querySelectorAll("[data-tip]")];
    if (marks.length === 0) return;
    let at = -1;
    const leave = () => { marks[at]?.classList.remove("current"); hideTip(); };
    chart.setAttribute("tabindex", "0");
    chart.addEventListener("keydown", (event) => {
      const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
      if (step) {
        event.preventDefault();
        marks[at]?.classList.remove("current");
        at = at < 0 ? (step > 0 ? 0 : marks.length - 1) : (at + step + marks.length) % marks.length;
        marks[at].classList.add("current");
        tipAt(marks[at]);
      } else if ((event.key === "Enter" || event.key === " ") && at >= 0) {
        event.preventDefault();
        marks[at].dispatchEvent(new MouseEvent("click", {bubbles: true}));
      }
    });
    chart.addEventListener("blur", leave);
  };
  document.querySelectorAll("svg.chart").forEach(walkable);

  // --- tables ---------------------------------------------------------------------------------------------------
  const compare = (a, b) => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a === "number") return -1;
    if (typeof b === "number") return 1;
    return a < b ? -1 : a > b ? 1 : 0;
  };
  /** `rows` in stable order of `key`; numbers come before texts. */
  const ordered = (rows, key, descending) => {
    const keys = rows.map((row, place) => [key(row), place]);
    const sign = descending ? -1 : 1;
    keys.sort((a, b) => sign * compare(a[0], b[0]) || a[1] - b[1]);
    return keys.map(([, place]) => rows[place]);
  };
  const setSort = (heads, chosen, descending) => {
    for (const head of heads) head.removeAttribute("aria-sort");
    chosen.setAttribute("aria-sort", descending ? "descending" : "ascending");
  };

  const makeSortable = (table) => {
    const heads = [...table.tHead.rows[0].cells];
    const key = (column) => (row) => {
      const cell = row.cells[column];
      if (!cell) return "";
      return cell.dataset.value === undefined ? cell.textContent.trim().toLowerCase() : Number(cell.dataset.value);
    };
    heads.forEach((head, column) => {
      if (!head.textContent) return;
      const button = element("button", {type: "button"}, ...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const first = head.classList.contains("num") ? "descending" : "ascending";
        const was = head.getAttribute("aria-sort");
        const descending = was ? was === "ascending" : first === "descending";
        setSort(heads, head, descending);
        table.tBodies[0].append(...ordered([...table.tBodies[0].rows], key(column), descending));
      });
    });
  };
  document.querySelectorAll("table.sortable").forEach(makeSortable);

  /** Every word of `query` is in `text`, both in lower case. */
  const matches = (text, query) => query.split(/\s+/).every((word) => text.includes(word));

  for (const tools of document.querySelectorAll("[data-filters]")) {
    const rows = [...document.getElementById(tools.dataset.filters).tBodies[0].rows];
    const search = tools.querySelector("input"), choice = tools.querySelector("select");
    const output = tools.querySelector("output");
    const chosen = (row) => row.cells[Number(choice.dataset.column)]?.textContent.trim();
    if (choice) for (const value of [...new Set(rows.map(chosen))].sort()) choice.append(element("option", {}, value));
    const apply = () => {
      const query = search ? search.value.trim().toLowerCase() : "";
      let shown = 0;
      for (const row of rows) {
        const fits = (!choice || !choice.value || chosen(row) === choice.value) &&
          matches(row.textContent.toLowerCase(), query);
        row.hidden = !fits;
        shown += fits ? 1 : 0;
      }
      output.textContent = `${shown} of ${rows.length}`;
    };
    search?.addEventListener("input", apply);
    choice?.addEventListener("change", apply);
    apply();
  }

  /** A name that may break after its dots, underscores and slashes. */
  const breakable = (text) => text.split(/(?<=\w{2}[._/])(?=\w)/).flatMap((part, at) => (at ? [element("wbr"), part] : [part]));

  /**
   * Adds to `place` a table of many rows that is shown in pages, sortable by every column and searchable.
   * columns: [{title, value(row), show(row) -> text or node, numeric, rising: sorted in ascending order at first,
   * text(row) for the search, class, extra: shown only with all columns}]; columns of class "desk" are extra on phones.
   * details(row) -> node below a row that was picked.
   * Returns {pick(row), search(text)}.
   */
  const pagedTable = (place, {columns, rows, label, details, size = 25, sort = 0, descending = false}) => {
    const state = {query: "", sort, descending, page: 0, picked: null};
    const texts = rows.map((row) => columns.map((column) => column.text?.(row) ?? "").join(" ").toLowerCase());
    const place_of = new Map(rows.map((row, at) => [row, at]));
    const search = element("input", {type: "search", autocomplete: "off", spellcheck: "false"});
    const output = element("output");
    const all = element("button", {type: "button", class: "button all-columns", "aria-pressed": "false"}, "All columns");
    const table = element("table", {class: "paged"});
    const classOf = (column) => [column.numeric ? "num" : "", column.extra ? "extra" : "", column.class ?? ""]
      .filter(Boolean).join(" ");
    const heads = columns.map((column, at) => {
      const button = element("button", {type: "button", onclick: () => sortBy(at)}, ...breakable(column.title));
      return element("th", {scope: "col", class: classOf(column)}, button);
    });
    const body = element("tbody");
    const button = (text, name, step) =>
      element("button", {type: "button", class: "button", "aria-label": name, onclick: () => turn(step)}, text);
    const pages = [button("«", "first page", -Infinity), button("‹", "previous page", -1), button("›", "next page", 1),
      button("»", "last page", Infinity)];
    const pageNumber = element("span", {class: "quiet"});
    let kept = rows;

    const update = () => {
      const query = state.query.trim().toLowerCase();
      const found = query ? rows.filter((row) => matches(texts[place_of.get(row)], query)) : rows;
      kept = ordered(found, columns[state.sort].value, state.descending);
      output.textContent = query ? `${kept.length} of ${rows.length}` : `${rows.length}`;
      setSort(heads, heads[state.sort], state.descending);
    };
    const draw = () => {
      const last = Math.max(0, Math.ceil(kept.length / size) - 1);
      state.page = Math.min(Math.max(0, state.page), last);
      pageNumber.textContent = `page ${state.page + 1} of ${last + 1}`;
      pages[0].disabled = pages[1].disabled = state.page === 0;
      pages[2].disabled = pages[3].disabled = state.page === last;
      body.replaceChildren();
      kept.slice(state.page * size, (state.page + 1) * size).forEach((row, number) => {
        const line = element("tr", {class: row === state.picked ? "picked" : "", tabindex: details ? "0" : undefined},
          ...columns.map((column) => element("td", {class: classOf(column)}, column.show(row))));
        const toggle = () => { state.picked = state.picked === row ? null : row; draw(); };
        if (details) {
          line.addEventListener("click", toggle);
          line.addEventListener("keydown", (event) => {
            if (event.key !== "Enter" && event.key !== " ") return;
            event.preventDefault();
            toggle();
            body.querySelectorAll("tr:not(.details)")[number].focus();
          });
        }
        body.append(line);
        if (row === state.picked && details) {
          body.append(element("tr", {class: "details"}, element("td", {colspan: columns.length}, details(row))));
        }
      });
    };
    const sortBy = (at) => {
      state.descending = state.sort === at ? !state.descending : Boolean(columns[at].numeric && !columns[at].rising);
      state.sort = at;
      state.page = 0;
      update();
      draw();
    };
    const turn = (step) => { state.page = step === Infinity ? 1e9 : step === -Infinity ? 0 : state.page + step; draw(); };

    search.addEventListener("input", () => { state.query = search.value; state.page = 0; update(); draw(); });
    all.addEventListener("click", () => {
      const on = table.classList.toggle("with-extra");
      all.setAttribute("aria-pressed", String(on));
      all.textContent = on ? "Fewer columns" : "All columns";
    });
    table.append(element("thead", {}, element("tr", {}, ...heads)), body);
    place.replaceChildren(
      element("div", {class: "tools"}, element("label", {}, `${label} `, search), output,
        columns.some((column) => column.extra || column.class?.includes("desk")) ? all : ""),
      element("div", {class: "scroll", role: "region", tabindex: "0", "aria-label": label}, table),
      element("div", {class: "tools pages"}, ...pages, pageNumber));
    update();
    draw();
    return {
      pick(row) {
        if (!kept.includes(row)) { search.value = state.query = ""; update(); }
        state.picked = row;
        state.page = Math.floor(kept.indexOf(row) / size);
        draw();
        body.querySelector(".picked")?.scrollIntoView({block: "center"});
      },
      search(text) {
        search.value = state.query = text;
        state.page = 0;
        state.picked = null;
        update();
        draw();
        place.scrollIntoView({block: "start"});
      },
    };
  };

  // --- the table of contents marks the current section -----------------------------------------------------------
  const links = new Map([...document.querySelectorAll(".contents a")].map((link) => [link.hash.slice(1), link]));
  const seen = new Set();
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (entry.isIntersecting) seen.add(entry.target.id);
      else seen.delete(entry.target.id);
    }
    const first = [...links.keys()].find((id) => seen.has(id));
    for (const [id, link] of links) {
      if (id === first) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }, {rootMargin: "-15% 0px -60% 0px"});
  for (const id of links.keys()) {
    const section = document.getElementById(id);
    if (section) watcher.observe(section);
  }

  return {element, svg, data, texts, si, showTip, hideTip, walkable, ordered, matches, pagedTable};
})();
