// SPDX-License-Identifier: Apache-2.0
// Run within a page by check_page.py: each returns what is wrong as a list of texts.
window.pageChecks = (() => {
  const wrong = [];
  const check = (holds, message) => { if (!holds) wrong.push(message); };
  const rising = (values, compare) => values.every((value, i) => i === 0 || compare(values[i - 1], value) <= 0);
  const type = (field, text) => {
    field.value = text;
    field.dispatchEvent(new Event("input", {bubbles: true}));
    field.dispatchEvent(new Event("change", {bubbles: true}));
  };
  const plain = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  const numeric = (text) => {
    const value = Number(text.replace(/[\s\u202f]/g, "").replace(/%$/, ""));
    return Number.isNaN(value) ? null : value;
  };

  /** Numbers, from data-value or as they are written, or texts in lower case. */
  const cellValues = (rows, column) => {
    const cells = rows.map((row) => row.cells[column]);
    const numbers = cells.map((cell) => (cell?.dataset.value === undefined ? null : Number(cell.dataset.value)));
    return numbers.every((value) => value !== null) ? numbers
      : cells.map((cell) => cell?.textContent.trim().toLowerCase() ?? "");
  };

  const checkHeads = (name, table, rowsOf, valuesOf) => {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      if (!head.offsetParent || !head.querySelector("button")) return;
      for (let click = 0; click < 2; ++click) {
        head.querySelector("button").click();
        const sort = head.getAttribute("aria-sort");
        const values = valuesOf(rowsOf(), column, head);
        const order = sort === "descending" ? [...values].reverse() : values;
        check(sort === "ascending" || sort === "descending", `${name}: column ${column} does not say how it sorts`);
        check(rising(order, plain), `${name}: column ${column} (${head.textContent}) is not ${sort}: ` +
          JSON.stringify(values.slice(0, 8)));
      }
    });
  };

  const sorting = () => {
    document.querySelectorAll("table.sortable").forEach((table, at) => {
      const rows = () => [...table.tBodies[0].rows];
      const before = rows().length;
      checkHeads(`table ${table.id || at}`, table, rows, cellValues);
      check(rows().length === before, `table ${table.id || at} loses rows when it is sorted`);
    });
    document.querySelectorAll("table.paged").forEach((table, at) => {
      const all = table.parentElement.parentElement.querySelector(".all-columns");
      if (all && all.getAttribute("aria-pressed") === "false") all.click();
      const rows = () => [...table.tBodies[0].rows].filter((row) => !row.classList.contains("details"));
      checkHeads(`paged table ${at}`, table, rows, (list, column, head) => {
        const values = list.map((row) => row.cells[column].querySelector("data")?.value);
        if (values.length > 0 && values.every((value) => value !== undefined)) return values.map(Number);
        const texts = list.map((row) => row.cells[column].textContent.trim());
        const numbers = texts.map(numeric);
        const are = head.classList.contains("num") && numbers.every((value) => value !== null);
        // A text may be shown cut or by another name; what is shown in full is checked.
        return are ? numbers : head.classList.contains("name") ? [] : texts.map((text) => text.toLowerCase());
      });
      table.tHead.rows[0].cells[0].querySelector("button").click();
    });
    return wrong.splice(0);
  };

  const filtering = () => {
    for (const tools of document.querySelectorAll("[data-filters]")) {
      const table = document.getElementById(tools.dataset.filters), name = `table ${table.id}`;
      const rows = [...table.tBodies[0].rows], shown = () => rows.filter((row) => row.offsetParent !== null);
      const field = tools.querySelector("input"), choice = tools.querySelector("select");
      if (shown().length !== rows.length) continue;  // within something closed
      if (field) {
        const word = rows[Math.floor(rows.length / 2)].cells[0].textContent.trim();
        type(field, word);
        const fit = rows.filter((row) => row.textContent.toLowerCase().includes(word.toLowerCase()));
        check(shown().length === fit.length && fit.length > 0 && fit.length < rows.length,
          `${name}: '${word}' shows ${shown().length} rows, not ${fit.length}`);
        type(field, "no row has this text");
        check(shown().length === 0, `${name}: shows rows that do not fit`);
        type(field, "");
      }
      if (choice) {
        const value = choice.options[1].value;
        type(choice, value);
        const column = Number(choice.dataset.column);
        check(shown().length > 0 && shown().every((row) => row.cells[column].textContent.trim() === value),
          `${name}: the choice '${value}' shows other rows`);
        choice.selectedIndex = 0;
        choice.dispatchEvent(new Event("change", {bubbles: true}));
      }
      check(shown().length === rows.length, `${name}: not all rows come back`);
    }
    document.querySelectorAll("table.paged").forEach((table, at) => {
      const frame = table.parentElement.parentElement;
      const field = frame.querySelector("input[type=search]"), output = frame.querySelector("output");
      const rows = () => [...table.tBodies[0].rows];
      const column = [...table.tHead.rows[0].cells].findIndex((head) => !head.classList.contains("num"));
      const word = rows()[0].cells[column].textContent.trim();
      const all = output.textContent;
      type(field, word);
      check(rows().length > 0 && /^\d+ of \d+$/.test(output.textContent), `paged table ${at}: '${word}' finds nothing`);
      type(field, "no row has this text");
      check(rows().length === 0, `paged table ${at}: shows rows that do not fit`);
      type(field, "");
      check(output.textContent === all, `paged table ${at}: not all rows come back`);
    });
    return wrong.splice(0);
  };

  /** Nothing is wider than the page but what scrolls by itself, and no heading is wider than its column. */
  const overflow = () => {
    for (const head of document.querySelectorAll("thead th")) {
      check(head.scrollWidth <= head.clientWidth + 1, `the heading '${head.textContent}' is wider than its column`);
    }
    const room = document.documentElement.clientWidth;
    check(document.documentElement.scrollWidth <= room,
      `the page is ${document.documentElement.scrollWidth} wide in a window of ${room}: ` +
      [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > room + 1 &&
        !e.closest(".scroll, .contents, svg")).slice(0, 4)
        .map((e) => `${e.tagName.toLowerCase()}${e.id ? `#${e.id}` : ""}.${e.className}`).join(", "));
    return wrong.splice(0);
  };

  /** Every link within the page leads somewhere, ids are distinct, and headings do not skip a level. */
  const structure = () => {
    for (const link of document.querySelectorAll("a[href^='#']")) {
      check(document.getElementById(link.hash.slice(1)), `${link.hash} leads nowhere`);
    }
    const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
    check(new Set(ids).size === ids.length, `ids twice: ${ids.filter((id, i) => ids.indexOf(id) !== i)}`);
    const levels = [...document.querySelectorAll("h1, h2, h3, h4")].map((e) => Number(e.tagName[1]));
    check(levels[0] === 1 && levels.every((level, i) => i === 0 || level <= levels[i - 1] + 1), `headings: ${levels}`);
    check([...document.querySelectorAll("svg[role=img]")].every((e) => e.getAttribute("aria-label")),
      "a chart without a name");
    return wrong.splice(0);
  };

  return {sorting, filtering, overflow, structure};
})();
