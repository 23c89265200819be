#include "front/cli/completion_command.h"

#include <memory>

#include "front/cli/completion.h"
#include "front/cli/output.h"

namespace parapet::front {

void add_completion_command(CLI::App& app, Context& context) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "Print a completion script for a shell");
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->add_flag("--json", context.json, "Print one JSON object");
  command->footer(
      "Examples: source <(parapet completion bash)\n"
      "          parapet completion fish > ~/.config/fish/completions/parapet.fish");
  command->callback([shell, &app, &context] {
    const std::string script = *shell == "bash"  ? bash_completion(app)
                               : *shell == "zsh" ? zsh_completion(app)
                                                 : fish_completion(app);
    print_report(context, script, {{"command", "completion"}, {"shell", *shell}, {"script", script}});
  });
}

}  // namespace parapet::front
