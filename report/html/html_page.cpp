// SPDX-License-Identifier: Apache-2.0
#include "report/html/html_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "report/html/assets/assets.h"
#include "report/html/html_text.h"

namespace podsim::report::html {
namespace {

constexpr std::string_view policy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'";

std::string page_head(const HtmlPage& page) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"podsim\">\n"
      "<title>{}</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n{}</style>\n</head>\n",
      policy, html_escaped(page.title), report_asset("report.css"));
}

std::string header(const HtmlPage& page) {
  std::string text = "<header class=\"page-head\">\n";
  if (!page.kicker.empty()) text += fmt::format("<p class=\"kicker\">{}</p>\n", html_escaped(page.kicker));
  text += fmt::format("<h1>{}</h1>\n", html_escaped(page.title));
  if (!page.subtitle.empty()) text += fmt::format("<p class=\"subtitle\">{}</p>\n", html_escaped(page.subtitle));
  return text + "</header>\n";
}

std::string contents(const HtmlPage& page) {
  std::string items;
  for (const HtmlSection& section : page.sections) {
    if (section.body.empty()) continue;
    items += fmt::format("<li><a href=\"#{}\">{}</a></li>", section.id, html_escaped(section.title));
  }
  return "<nav class=\"contents\" aria-label=\"Contents\"><ul>" + items + "</ul></nav>\n";
}

std::string section_html(const HtmlSection& section) {
  return fmt::format(
      "<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 id=\"{0}-title\">{1}</h2>\n{2}\n</section>\n",
      section.id, html_escaped(section.title), section.body);
}

}  // namespace

std::string html_page(const HtmlPage& page) {
  std::string text = page_head(page) + "<body>\n<a class=\"skip\" href=\"#content\">Skip to the content</a>\n";
  text += header(page) + contents(page) + "<main id=\"content\">\n";
  for (const HtmlSection& section : page.sections) {
    if (!section.body.empty()) text += section_html(section);
  }
  text += "</main>\n";
  if (!page.footer.empty()) text += fmt::format("<footer>{}</footer>\n", html_escaped(page.footer));
  for (const auto& [id, json] : page.data) {
    text += fmt::format("<script type=\"application/json\" id=\"{}\">{}</script>\n", id, script_json(json));
  }
  text += fmt::format("<script>\n{}</script>\n", report_asset("report.js"));
  for (const std::string& name : page.scripts) text += fmt::format("<script>\n{}</script>\n", report_asset(name));
  return text + "</body>\n</html>\n";
}

std::string_view report_asset(std::string_view name) {
  const auto found = std::ranges::find(assets::report_assets(), name, &assets::ReportAsset::name);
  if (found == assets::report_assets().end()) throw std::out_of_range(fmt::format("no part '{}' of reports", name));
  return found->text;
}

}  // namespace podsim::report::html
