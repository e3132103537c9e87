import Arguments
import Foundation
import ModelTools
import Testing

@testable import atelier

/// Runs the commands of the README in their order, in a folder that contains what a fresh clone has.
@Suite(.enabled(if: Program.isBuilt))
struct ReadmeTests {
  /// Returns the `atelier` commands of a text, from its shell blocks and its inline code.
  static func commands(in text: String) -> [String] {
    var found: [String] = []
    var language: String?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.hasPrefix("```") {
        language = language == nil ? String(line.dropFirst(3)) : nil
      } else if let language {
        if language == "sh" {
          found.append(line.split(separator: "#").first.map(String.init) ?? "")
        }
      } else {
        let spans = line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
          .filter { $0.offset % 2 == 1 }
        found += spans.map { String($0.element).replacing("\\|", with: "|") }
      }
    }
    return found.map { $0.trimmingCharacters(in: .whitespaces) }.filter {
      ($0.hasPrefix("atelier ") || $0.contains("| atelier ")) && $0.split(separator: " ").count > 1
    }
  }

  /// The commands that take minutes or run until they are stopped.
  private static let long: Set<String> = ["train", "paint", "studio", "serve"]

  /// Returns the words after `atelier` in a command, up to a redirection.
  private static func words(_ command: String) -> [String] {
    guard let start = command.range(of: "atelier ") else { return [] }
    return PageCommand.words(of: String(command[start.upperBound...])).prefix { $0 != ">" }
      .map { $0 }
  }

  /// Returns whether a command needs weights that `atelier fetch` has not installed.
  private static func lacksWeights(_ words: [String]) -> Bool {
    let needed: [FetchableModel] =
      switch words[0] {
      case "fetch": words.dropFirst().compactMap { FetchableModel(rawValue: $0) }
      case "judge": [.vgg16, .judge]
      case "upscale": [.upscaler]
      case "classify", "similar": [.squeezenet]
      case "stylize":
        words.contains { $0.hasSuffix("painting.jpg") && $0.hasPrefix("Gallery/") }
          ? [.arbitraryStyle] : []
      default: []
      }
    return needed.contains { !$0.isFetched() }
  }

  @Test("Every command of the README runs in its order, with files of the repository only")
  func typed() throws {
    let root: URL = GenerateTests.root
    let text = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
    let commands: [String] = Self.commands(in: text)
    #expect(commands.count >= 20, "\(commands)")
    let program: URL = try #require(Program.binary)
    var ran = 0
    try Fixtures.withFolder { folder in
      for name in ["Gallery", "Documentation", "Examples"] {
        try FileManager.default.createSymbolicLink(
          at: folder.appendingPathComponent(name),
          withDestinationURL: root.appendingPathComponent(name))
      }
      // Some commands write files beside the photos. So the folder gets a copy of the gallery, not a link to it.
      let gallery: URL = folder.appendingPathComponent("Gallery")
      try FileManager.default.removeItem(at: gallery)
      try FileManager.default.copyItem(at: root.appendingPathComponent("Gallery"), to: gallery)
      for command in commands {
        let words: [String] = Self.words(command)
        if words.first?.hasPrefix("-") == true { continue }
        let syntax: CommandSyntax = try #require(
          Atelier.commands.first { $0.syntax.name == words.first }?.syntax, "\(command)")
        // Skips a command that is only mentioned, such as `atelier learn`: it lacks its arguments.
        if words.count == 1, syntax.operands.first != nil { continue }
        let parsed = try ParsedArguments(Array(words.dropFirst()), syntax: syntax)
        if Self.long.contains(syntax.name) {
          for operand in parsed.operands + parsed.values("style") + parsed.values("content") {
            #expect(
              FileManager.default.fileExists(
                atPath: folder.appendingPathComponent(operand).path), "\(command)")
          }
          continue
        }
        guard !Self.lacksWeights(words) else { continue }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-o", "pipefail", "-c", command]
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging([
          "PATH": program.deletingLastPathComponent().path + ":/usr/bin:/bin",
          "ATELIER_TUNING": "off",
        ]) { $1 }
        let errors = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        try process.run()
        let complaint = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let said = String(decoding: complaint, as: UTF8.self)
        #expect(process.terminationStatus == 0, "\(command): \(said)")
        ran += 1
      }
    }
    #expect(ran >= 10, "only \(ran) commands ran")
  }
}
