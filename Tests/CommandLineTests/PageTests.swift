import Arguments
import Foundation
import Imaging
import ModelFormat
import ModelTools
import Testing

@testable import atelier

/// Runs every `atelier` command line in the documentation pages.
@Suite(.enabled(if: Program.isBuilt))
struct PageTests {
  private static let root: URL = GenerateTests.root

  /// The README, all pages in Documentation, and the pages in Examples and Python.
  private static let pages: [String] = {
    let folders: [String] = ["Documentation", "Examples", "Python"]
    let names: [String] = folders.flatMap { folder in
      (FileManager.default.subpaths(atPath: root.appendingPathComponent(folder).path) ?? [])
        .filter { $0.hasSuffix(".md") && !$0.contains("/.") }.map { "\(folder)/\($0)" }
    }
    return ["README.md", "CONTRIBUTING.md"] + names.sorted()
  }()

  private static func commands(in page: String) throws -> [PageCommand] {
    let text = try String(contentsOf: root.appendingPathComponent(page), encoding: .utf8)
    return PageCommand.all(in: text, page: page)
  }

  @Test("Words are split like in a shell")
  func words() {
    let text = """
      A line with `atelier styles --json` in it.

          atelier convert a.json -o b.mlmodel \\
            --custom 'crop=Crop:return x[:, 2:-2]'   # a comment
          make demo
      """
    let found = PageCommand.all(in: text, page: "a.md")
    #expect(
      found.map(\.words) == [
        ["styles", "--json"],
        ["convert", "a.json", "-o", "b.mlmodel", "--custom", "crop=Crop:return x[:, 2:-2]"],
      ])
    #expect(found.map(\.isComplete) == [false, true] && found.map(\.line) == [1, 3])
  }

  @Test("Every command in the pages exists, with the options used there")
  func options() throws {
    let known: [CommandSyntax] = (Atelier.commands + Atelier.maintenance).map { $0.syntax }
    var count = 0
    for command in try Self.pages.flatMap({ try Self.commands(in: $0) }) {
      count += 1
      guard let name = command.words.first, !["--help", "--version", "COMMAND"].contains(name)
      else {
        continue
      }
      guard let syntax = known.first(where: { $0.name == name }) else {
        // Pages may name only commands that exist. The check above skips the placeholder `atelier COMMAND`.
        Issue.record("\(command): there is no command '\(name)'.")
        continue
      }
      let words: [String] = command.words.dropFirst().map {
        $0.trimmingCharacters(in: ["[", "]"])
      }
      if command.isComplete {
        #expect(throws: Never.self, "\(command)") { try ParsedArguments(words, syntax: syntax) }
      } else {
        for word in words where word.hasPrefix("-") && word != "-" {
          let option: Substring = word.split(separator: "=")[0]
          let isKnown: Bool = syntax.options.contains {
            option == "--\($0.name)" || $0.letter.map { option == "-\($0)" } == true
          }
          #expect(isKnown, "\(command): there is no option '\(option)'.")
        }
      }
    }
    #expect(count > 60, "\(count) command lines are too few: has the pages' format changed?")
  }

  /// The commands that take only seconds and change nothing outside the folder in which they run.
  private static let quick: Set<String> = [
    "bench", "compare", "compress", "convert", "encrypt", "generate", "inspect", "layers",
    "predict",
    "sheet", "styles", "stylize",
  ]

  /// Returns whether a test can run a command: the folder contains everything that the command reads, and the command
  /// runs quickly.
  private static func canRun(_ command: PageCommand, in folder: URL) -> Bool {
    guard let name = command.words.first, quick.contains(name),
      let syntax = Atelier.commands.first(where: { $0.syntax.name == name })?.syntax,
      let parsed = try? ParsedArguments(Array(command.words.dropFirst()), syntax: syntax)
    else { return false }
    func exists(_ word: String) -> Bool {
      FileManager.default.fileExists(atPath: folder.appendingPathComponent(word).path)
        || FetchableModel(rawValue: word)?.isFetched() == true
    }
    let files: [String] = ["model", "key", "with", "mask", "subject", "plugin", "inputs", "sample"]
      .filter { option in syntax.options.contains { $0.name == option } }
      .flatMap { parsed.values($0) }
    let inputs: [String] = parsed.values("input").compactMap { word in
      let value: Substring = word.drop { $0 != "=" }.dropFirst()
      return value.contains(".") ? String(value) : nil
    }
    // Three kinds of commands take minutes in a debug build: writing every layer to files, making a table of several
    // widths and modes, and searching for widths (`--until`).
    let isLong: Bool =
      parsed.values("also").contains("all") || parsed.value("mode")?.contains(",") == true
      || parsed.has("until")
    return !isLong && !parsed.has("style-image")
      && (parsed.operands.filter { $0 != "--" } + files + inputs).allSatisfy {
        exists(String($0.split(separator: "=")[0]))
      }
  }

  @Test("Every command that can run with the available files succeeds")
  func running() throws {
    var ran: Set<String> = []
    var count = 0
    try Fixtures.withFolder { root in
      let prepared: URL = root.appendingPathComponent("prepared")
      try FileManager.default.createDirectory(at: prepared, withIntermediateDirectories: true)
      try prepare(prepared)
      for page in Self.pages {
        // Each page starts with a folder that contains only these files.
        let folder: URL = root.appendingPathComponent(page.replacing("/", with: "-"))
        try FileManager.default.copyItem(at: prepared, to: folder)
        for command in try Self.commands(in: page).map({
          $0.replacing("MODEL", with: "Style.mlmodel")
        })
        where command.isComplete && Self.canRun(command, in: folder) {
          let outcome = try Program.run(
            command.words, environment: ["ATELIER_TUNING": "off"], folder: folder)
          #expect(outcome.status == 0, "\(command): \(outcome.errors)")
          ran.insert(command.words[0])
          count += 1
        }
      }
    }
    #expect(count >= 20 && ran.count >= 8, "\(count) commands ran: \(ran.sorted())")
  }

  // MARK: - The reader's files

  /// Writes the files that the pages mention: a photo, paintings, folders of photos, style networks, a numeric network.
  private func prepare(_ folder: URL) throws {
    let manager = FileManager.default
    for name in ["Gallery", "Examples", "Documentation"] {
      try manager.createSymbolicLink(
        at: folder.appendingPathComponent(name),
        withDestinationURL: Self.root.appendingPathComponent(name))
    }
    let photo = try Picture(
      contentsOf: Self.root.appendingPathComponent("Gallery/photos/astronaut.jpg"))
    let small: Picture = try photo.scaled(to: PictureSize(width: 96, height: 72))
    try manager.createDirectory(
      at: folder.appendingPathComponent("photos"), withIntermediateDirectories: true)
    for name in ["photo.jpg", "painting.jpg", "person.png", "photos/1.jpg"] {
      try small.write(toFile: folder.appendingPathComponent(name).path)
    }
    let style: URL = Self.root.appendingPathComponent("Examples/Scream.mlmodel")
    for name in ["Style.mlmodel", "Starry.mlmodel", "Scream.mlmodel"] {
      try manager.copyItem(at: style, to: folder.appendingPathComponent(name))
    }
    try Self.halving("data").write(to: folder.appendingPathComponent("net.mlmodel"))
    try Self.halving("x").write(to: folder.appendingPathComponent("x.mlmodel"))
    try Data((0..<12).map { "class \($0)\n" }.joined().utf8)
      .write(to: folder.appendingPathComponent("names.txt"))
    func run(_ words: String...) throws {
      let outcome = try Program.run(words, folder: folder)
      try #require(outcome.status == 0, "\(outcome.errors)")
    }
    let array: String = "x=[[[[1,2],[3,4]],[[5,6],[7,8]],[[9,10],[11,12]]]]"
    try run("predict", "x.mlmodel", "-i", array, "-o", "answers")
    try manager.createDirectory(
      at: folder.appendingPathComponent("inputs"), withIntermediateDirectories: true)
    for name in ["x.npy", "inputs/x.npy"] {
      try manager.copyItem(
        at: folder.appendingPathComponent("answers/y.npy"),
        to: folder.appendingPathComponent(name))
    }
    try run("predict", "x.mlmodel", "-i", "x=x.npy", "-o", "answers")
    for name in ["model.mlpackage", "model16.mlpackage", "model32.mlpackage"] {
      try run("convert", "x.mlmodel", "-o", name)
    }
  }

  /// Builds a network that halves an input of twelve numbers.
  private static func halving(_ input: String) -> Spec.Model {
    var network = Spec.NeuralNetwork()
    network.arrayInputShapeMapping = .exactArrayMapping
    network.layers = [
      .making { layer in
        (layer.name, layer.input, layer.output) = ("half", [input], ["y"])
        layer.layer = .activation(
          .making { $0.nonlinearityType = .linear(.making { $0.alpha = 0.5 }) })
      }
    ]
    func feature(_ name: String) -> Spec.FeatureDescription {
      .making { feature in
        feature.name = name
        feature.type = .making {
          $0.type = .multiArrayType(
            .making {
              $0.shape = [1, 3, 2, 2]
              $0.dataType = .float32
            })
        }
      }
    }
    return .making { model in
      model.specificationVersion = 4
      model.type = .neuralNetwork(network)
      model.description = .making {
        $0.input = [feature(input)]
        $0.output = [feature("y")]
      }
    }
  }
}
