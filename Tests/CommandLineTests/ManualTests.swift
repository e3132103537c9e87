import Arguments
import Foundation
import Testing

@testable import atelier

/// Checks that the help, the manual page and the completions of a command name the same options.
struct ManualTests {
  /// Returns the names of the options in a text, with their one or two dashes.
  private static func options(in text: String) -> Set<String> {
    let words = text.matches(of: /(?:^|[\s|"'(\[*])(--?[a-z][a-z-]*)/).map { String($0.1) }
    return Set(words)
  }

  private static func declared(_ syntax: CommandSyntax) -> Set<String> {
    Set(syntax.options.flatMap { ["--\($0.name)"] + ($0.letter.map { ["-\($0)"] } ?? []) })
  }

  @Test("Help, manual page and completions of every command name the same options")
  func agreement() throws {
    let all: [CommandSyntax] = Atelier.commands.map { $0.syntax }
    let completions = Completions(program: "atelier", commands: all)
    let scripts: [Completions.Shell: String] = Dictionary(
      uniqueKeysWithValues: Completions.Shell.allCases.map { ($0, completions.script(for: $0)) })
    for syntax in all {
      let declared: Set<String> = Self.declared(syntax)
      let help: String = syntax.helpText(program: "atelier")
      let table: String = help.split(separator: "\n").filter { $0.hasPrefix("  ") }
        .map { String($0.prefix { $0 != "…" }) }.joined(separator: "\n")
      #expect(Self.options(in: table).isSuperset(of: declared), "\(syntax.name): help")
      let page: String = syntax.manualPage(program: "atelier", version: "1")
        .replacing("\\-", with: "-").replacing("\\fB", with: " ").replacing("\\fR", with: " ")
        .replacing("\\fI", with: " ")
      #expect(Self.options(in: page).isSuperset(of: declared), "\(syntax.name): manual")
      for operand in syntax.operands {
        #expect(page.contains(operand.name) && help.contains(operand.name))
      }
      let bash = try #require(
        Self.part(of: scripts[.bash], from: "    \(syntax.name))\n", to: " ;;\n      esac ;;\n"))
      #expect(Self.options(in: bash) == declared, "\(syntax.name): bash")
      let zsh = try #require(
        Self.part(of: scripts[.zsh], from: "    \(syntax.name))\n", to: " ;;\n"))
      let inZsh = Set(zsh.matches(of: /'\*?(--?[a-z][a-z-]*)\[/).map { String($0.1) })
      #expect(inZsh == declared, "\(syntax.name): zsh")
      let lines = (scripts[.fish] ?? "").split(separator: "\n").filter {
        $0.contains("__fish_seen_subcommand_from \(syntax.name)'")
      }
      let inFish = Set(
        lines.flatMap { line in
          line.matches(of: #/ -(l|s) ([a-z-]+)/#).map { "\($0.1 == "l" ? "--" : "-")\($0.2)" }
        })
      #expect(inFish == declared, "\(syntax.name): fish")
    }
  }

  @Test("Every command that reports something prints it as JSON with --json")
  func json() {
    // `predict` always prints JSON. The studio and `serve` are servers.
    let without: Set<String> = ["predict", "studio", "serve"]
    for syntax in Atelier.commands.map({ $0.syntax }) {
      let hasJSON: Bool = Self.declared(syntax).contains("--json")
      #expect(hasJSON != without.contains(syntax.name), "\(syntax.name)")
    }
  }

  private static func part(of text: String?, from start: String, to end: String) -> String? {
    guard let text, let first = text.range(of: start),
      let last = text.range(of: end, range: first.upperBound..<text.endIndex)
    else { return nil }
    return String(text[first.upperBound..<last.lowerBound])
  }

  @Test("Shells read their scripts", arguments: Completions.Shell.allCases)
  func syntax(shell: Completions.Shell) throws {
    guard
      let path = ["/bin", "/usr/bin"].map({ "\($0)/\(shell.rawValue)" })
        .first(where: { FileManager.default.isExecutableFile(atPath: $0) })
    else { return }
    try Fixtures.withFolder { folder in
      let file = folder.appendingPathComponent("script")
      let script: String = Completions(
        program: "atelier", commands: Atelier.commands.map { $0.syntax }
      ).script(for: shell)
      try Data(script.utf8).write(to: file)
      let process = Process()
      process.executableURL = URL(fileURLWithPath: path)
      process.arguments = ["-n", file.path]
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }
  }

  @Test("bash completes commands, options, words and files", .enabled(if: Program.isBuilt))
  func bash() throws {
    try Fixtures.withFolder { folder in
      let script = folder.appendingPathComponent("script")
      try Data(
        Completions(program: "atelier", commands: Atelier.commands.map { $0.syntax })
          .script(for: .bash).utf8
      ).write(to: script)
      try Data().write(to: folder.appendingPathComponent("photo.jpg"))
      func completed(_ words: String...) throws -> String {
        let list: String = words.map { "'\($0)'" }.joined(separator: " ")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = [
          "-c",
          "source ./script; COMP_WORDS=(\(list)); COMP_CWORD=\(words.count - 1); _atelier;"
            + " echo \"${COMPREPLY[*]}\"",
        ]
        process.currentDirectoryURL = folder
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
      }
      #expect(try completed("atelier", "styli") == "stylize")
      #expect(try completed("atelier", "stylize", "--stri") == "--strip-location --strip-metadata")
      #expect(try completed("atelier", "stylize", "--chroma", "") == "444 420")
      #expect(try completed("atelier", "stylize", "pho") == "photo.jpg")
    }
  }
}
