#include "front/cli/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

namespace parapet::front {
namespace {

struct Word {
  std::string text;
  std::string description;
  bool takes_value = false;
};

/// A command with its path, e.g. "/bench/codec"; the root's is empty.
struct Node {
  std::string path;
  std::vector<Word> subcommands;
  std::vector<Word> options;
};

void collect(const CLI::App& app, const std::string& path, std::vector<Node>& nodes) {
  Node node{path, {}, {}};
  for (const CLI::App* child : app.get_subcommands(std::function<bool(const CLI::App*)>()))
    node.subcommands.push_back({child->get_name(), child->get_description()});
  for (const CLI::Option* option : app.get_options(std::function<bool(const CLI::Option*)>()))
    for (const std::string& name : option->get_lnames())
      node.options.push_back({"--" + name, option->get_description(), option->get_items_expected_max() > 0});
  nodes.push_back(std::move(node));
  for (const CLI::App* child : app.get_subcommands(std::function<bool(const CLI::App*)>()))
    collect(*child, path + "/" + child->get_name(), nodes);
}

std::vector<Node> collect(const CLI::App& root) {
  std::vector<Node> nodes;
  collect(root, "", nodes);
  return nodes;
}

std::string replace_all(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

/// In single quotes for bash and zsh.
std::string quoted(const std::string& text) { return "'" + replace_all(text, "'", "'\\''") + "'"; }

std::string texts(const std::vector<Word>& words) {
  std::vector<std::string> list;
  for (const Word& word : words) list.push_back(word.text);
  return fmt::format("{}", fmt::join(list, " "));
}

/// Shell code that follows the words typed so far down the tree; leaves the path in `command`.
std::string descend(const std::vector<Node>& nodes, const char* typed_words) {
  std::vector<std::string> paths;
  for (const Node& node : nodes)
    if (!node.path.empty()) paths.push_back(node.path);
  return fmt::format(
      "  local command= word\n"
      "  for word in {}; do\n"
      "    case \"$command/$word\" in\n"
      "      {}) command=\"$command/$word\" ;;\n"
      "    esac\n"
      "  done\n",
      typed_words, fmt::join(paths, "|"));
}

/// `word:description` for zsh's _describe.
std::string described(const std::vector<Word>& words) {
  std::string list;
  for (const Word& word : words)
    list += " " + quoted(replace_all(word.text, ":", "\\:") + ":" + replace_all(word.description, ":", "\\:"));
  return list;
}

/// In double quotes, which is what fish and its conditions need.
std::string fish_line(const std::string& condition, const std::string& rest, const std::string& description) {
  const auto escape = [](const std::string& text) { return replace_all(replace_all(text, "\\", "\\\\"), "'", "\\'"); };
  return fmt::format("complete -c parapet -n '{}' {} -d '{}'\n", condition, rest, escape(description));
}

}  // namespace

std::string bash_completion(const CLI::App& root) {
  const std::vector<Node> nodes = collect(root);
  std::string script = "# bash completion for parapet\n_parapet() {\n";
  script += descend(nodes, "\"${COMP_WORDS[@]:1:COMP_CWORD-1}\"");
  script += "  local subcommands= options=\n  case \"$command\" in\n";
  for (const Node& node : nodes)
    script += fmt::format("    \"{}\") subcommands=\"{}\" options=\"{}\" ;;\n", node.path, texts(node.subcommands),
                          texts(node.options));
  script +=
      "  esac\n"
      "  local current=\"${COMP_WORDS[COMP_CWORD]}\"\n"
      "  case \"$current\" in\n"
      "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$current\")) ;;\n"
      "    *) COMPREPLY=($(compgen -W \"$subcommands\" -- \"$current\")) ;;\n"
      "  esac\n"
      "}\n"
      "complete -o default -F _parapet parapet\n";
  return script;
}

std::string zsh_completion(const CLI::App& root) {
  const std::vector<Node> nodes = collect(root);
  std::string script = "#compdef parapet\n_parapet() {\n";
  script += descend(nodes, "\"${(@)words[2,CURRENT-1]}\"");
  script += "  local -a subcommands options\n  case \"$command\" in\n";
  for (const Node& node : nodes)
    script += fmt::format("    \"{}\")\n      subcommands=({} )\n      options=({} ) ;;\n", node.path,
                          described(node.subcommands), described(node.options));
  script +=
      "  esac\n"
      "  if [[ $PREFIX == -* ]]; then\n"
      "    _describe option options\n"
      "  elif (( $#subcommands )); then\n"
      "    _describe command subcommands\n"
      "  else\n"
      "    _files\n"
      "  fi\n"
      "}\n"
      "if [ \"$funcstack[1]\" = _parapet ]; then _parapet \"$@\"; else compdef _parapet parapet; fi\n";
  return script;
}

std::string fish_completion(const CLI::App& root) {
  std::string script = "# fish completion for parapet\n";
  for (const Node& node : collect(root)) {
    std::string condition = node.path.empty() ? "__fish_use_subcommand" : "";
    for (const std::string& name : CLI::detail::split(node.path, '/')) {
      if (name.empty()) continue;
      condition += (condition.empty() ? "" : "; and ") + ("__fish_seen_subcommand_from " + name);
    }
    for (const Word& word : node.subcommands)
      script += fish_line(condition + (node.path.empty() ? "" : "; and not __fish_seen_subcommand_from " + word.text),
                          "-f -a " + word.text, word.description);
    for (const Word& word : node.options)
      script += fish_line(condition, "-l " + word.text.substr(2) + (word.takes_value ? " -r" : ""), word.description);
  }
  return script;
}

}  // namespace parapet::front
