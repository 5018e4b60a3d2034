// SPDX-License-Identifier: Apache-2.0
#include "report/html/html_table.h"

#include <fmt/format.h>

#include <cmath>

#include "report/html/html_text.h"

namespace podsim::report::html {
namespace {

std::string table_head(const HtmlTable& table) {
  std::string cells;
  for (const TableColumn& column : table.columns) {
    cells +=
        fmt::format("<th scope=\"col\"{}>{}</th>", column.numeric ? " class=\"num\"" : "", html_escaped(column.title));
  }
  return "<thead><tr>" + cells + "</tr></thead>";
}

std::string row_html(const HtmlTable& table, const std::vector<TableCell>& row) {
  std::string cells;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const bool numeric = table.columns.at(i).numeric;
    const std::string value = row[i].value ? fmt::format(" data-value=\"{}\"", *row[i].value) : "";
    const bool prose = !numeric && row[i].html.size() > 60;
    cells += fmt::format("<td{}{}>{}</td>",
                         numeric ? " class=\"num\""
                         : prose ? " class=\"prose\""
                                 : "",
                         value, row[i].html);
  }
  return "<tr>" + cells + "</tr>\n";
}

/// The filter fields, which only the script shows, since they do not work without it.
std::string filter_html(const HtmlTable& table) {
  if (table.filter_label.empty() && table.choice_column < 0) return "";
  std::string text = fmt::format("<div class=\"tools\" data-filters=\"{}\">", table.id);
  if (!table.filter_label.empty()) {
    text += fmt::format("<label>{} <input type=\"search\" autocomplete=\"off\" spellcheck=\"false\"></label>",
                        html_escaped(table.filter_label));
  }
  if (table.choice_column >= 0) {
    text += fmt::format("<label>{} <select data-column=\"{}\"><option value=\"\">all</option></select></label>",
                        html_escaped(table.columns[std::size_t(table.choice_column)].title), table.choice_column);
  }
  return text + "<output></output></div>\n";
}

}  // namespace

TableCell text_cell(std::string_view text) { return {html_escaped(text), {}}; }

TableCell code_cell(std::string_view text) { return {"<code>" + html_escaped(text) + "</code>", {}}; }

TableCell number_cell(double value, std::string_view text) {
  return {html_figure(value, text), std::isfinite(value) ? value : 0};
}

TableCell bar_cell(double share) {
  constexpr double longest = 14;  // em
  if (!std::isfinite(share)) share = 0;
  return {fmt::format("<span class=\"bar\" style=\"width:{:.2f}em\"></span>", longest * share), share};
}

std::string html_table(const HtmlTable& table) {
  std::string rows;
  for (const std::vector<TableCell>& row : table.rows) rows += row_html(table, row);
  const std::string id = table.id.empty() ? "" : fmt::format(" id=\"{}\"", table.id);
  const std::string name = table.caption.empty() ? "table" : table.caption;
  return filter_html(table) +
         fmt::format(
             "<div class=\"scroll{}\" role=\"region\" aria-label=\"{}\" tabindex=\"0\"><table{}{}>{}{}"
             "<tbody>\n{}</tbody></table></div>\n",
             table.tall ? " tall" : "", html_escaped(name), id, table.sortable ? " class=\"sortable\"" : "",
             table.caption.empty() ? "" : "<caption>" + html_escaped(table.caption) + "</caption>", table_head(table),
             rows);
}

}  // namespace podsim::report::html
