#!/usr/bin/env bash
# Prints the comment on a pull request, in Markdown: the address, errors and warnings, and the changes as a table.
#
#   comment-body.sh FOLDER
#
# FOLDER has what is known, each if it is: deploy.json (what `dashboard.sh deploy` prints), changes.md or changes.note
# (of compare.sh), and `ended` where the preview has ended. DASHBOARD_PROJECT names the project, COMMIT what was built.
# Texts of documents are code: they mention nobody and link nowhere. The first line marks the comment.
set -euo pipefail

cd "$1"
optional() {
  if [ -s "$1" ]; then cat "$1"; else printf '%s' "$2"; fi
}

# 65,536 letters are the most that a comment on GitHub has.
jq -nr --arg project "$DASHBOARD_PROJECT" --arg commit "${COMMIT:-}" \
  --argjson ended "$([ -e ended ] && echo true || echo false)" \
  --rawfile changes <(optional changes.md '') --rawfile note <(optional changes.note '') \
  --slurpfile deploy <(optional deploy.json null) '
def code: gsub("\\s+|[[:cntrl:]]"; " ") | gsub("`"; "") | gsub("\\|"; "\\|")
  | "`\(if length > 300 then .[:299] + "…" else . end)`";
def place: [.file, .path] | map(select(. != null and . != "")) | first // "" ;
def row: "| \(.message | code) | \(if place == "" then "" else place + (if .line then ":\(.line)" else "" end) | code end) |";
def table($title): if length == 0 then empty else
  "#### \($title) (\(length))\n\n| Message | Place |\n| --- | --- |\n" + (.[:20] | map(row) | join("\n"))
  + if length > 20 then "\n\nAnd \(length - 20) more, on the page of the deploy." else "" end
end;
def head: $deploy[0] as $d
  | if $ended then "The preview of this pull request has ended."
    elif $d == null then empty
    elif $d.state == "failed" then "**The deploy failed.** " + if $d.branchUrl then "\($d.branchUrl) shows what it did before." else "What is live stays so." end
    elif $d.branch != null then "**Preview:** \($d.address)"
    elif $d.held then "**Held back** until an owner confirms it: \($d.held.message | code) Preview: \($d.address)"
    elif $d.live then "**Live:** \($d.address)"
    else "**Built, but not live:** \($d.address)" end;
def source: $deploy[0] | if . == null or $ended then empty
  else "[Deploy \(.number)](\(.page))" + (if $commit == "" then "" else " of \($commit[:12] | code)" end) end;
def fitting($most): if length <= $most then . else
  .[:$most] | sub("\n[^\n]*$"; "") + "\n\nMore than fits here is in the log of the job." end;
[
  "<!-- dashboard: \($project) -->\n### API documentation of \($project | code)",
  ([head, source] | select(length > 0) | join("  \n")),
  (if $ended then empty else
    ($deploy[0] // {} | (if .strict and .warnings != [] then empty else .errors // [] | table("Errors") end), (.warnings // [] | table("Warnings"))),
    (($changes | rtrimstr("\n")), ($note | select(. != "") | code) | select(. != "")) end)
] | join("\n\n") | fitting(65000)'
