import Arguments
import Testing

struct ArgumentsTests {
  private let syntax = CommandSyntax(
    "paint", summary: "Paints.",
    operands: [.init("PHOTO", .atLeastOne, help: "What to paint.")],
    options: [
      .init("model", letter: "m", value: "FILE", isRequired: true, help: "With what."),
      .init("size", value: "N", help: "How large."),
      .init("units", value: "UNITS", help: "Where."),
      .init("input", letter: "i", value: "NAME=VALUE", repeats: true, help: "More."),
      .init("json", help: "As JSON."),
    ])

  private func parse(_ words: String...) throws -> ParsedArguments {
    try ParsedArguments(words, syntax: syntax)
  }

  private func fault(_ words: String...) -> String {
    do {
      let arguments = try ParsedArguments(words, syntax: syntax)
      _ = try arguments.integer("size", in: 1...100)
      _ = try arguments.choice("units", of: ["cpuOnly", "cpuAndGPU", "all"])
      return "nothing was thrown"
    } catch {
      return "\(error)"
    }
  }

  @Test(
    "An option's value may be written in four ways",
    arguments: [["--model", "x"], ["--model=x"], ["-m", "x"], ["-mx"]])
  func fourForms(words: [String]) throws {
    let arguments = try ParsedArguments(words + ["a.png"], syntax: syntax)
    #expect(arguments.value("model") == "x")
    #expect(arguments.operands == ["a.png"])
  }

  @Test("Words after two dashes are operands, and so is a single dash")
  func operandsAfterDashes() throws {
    #expect(
      try parse("-m", "x", "-", "--", "--size", "-q").operands == ["-", "--size", "-q"])
  }

  @Test("Values keep their equals signs, and repeated options keep their order")
  func repeated() throws {
    let arguments = try parse("--input=a=1=2", "-i", "b=3", "-m", "x", "p")
    #expect(arguments.values("input") == ["a=1=2", "b=3"])
  }

  @Test("A switch is present or absent")
  func switches() throws {
    #expect(try parse("--json", "-mx", "p").has("json"))
    #expect(try !parse("-mx", "p").has("json"))
  }

  @Test("Numbers and choices are parsed")
  func typed() throws {
    let arguments = try parse("--size", "42", "--units", "CPUONLY", "-mx", "p")
    #expect(try arguments.integer("size", in: 1...100) == 42)
    #expect(try arguments.choice("units", of: ["cpuOnly", "all"]) == "cpuOnly")
    #expect(try parse("-mx", "p").integer("size", in: 1...100) == nil)
  }

  @Test("--help skips all checks")
  func help() throws {
    #expect(try parse("--nonsense", "-h").asksForHelp)
    #expect(try !parse("-mx", "--", "--help").asksForHelp)
  }

  @Test("Invalid arguments give a one-line message")
  func faults() {
    #expect(fault("-mx") == "PHOTO is missing.")
    #expect(fault("p") == "--model FILE is missing.")
    #expect(
      fault("-mx", "--modle", "y", "p") == "there is no option '--modle'; did you mean '--model'?")
    #expect(fault("-mx", "--quality", "p") == "there is no option '--quality'.")
    #expect(fault("-mx", "-q", "p") == "there is no option '-q'.")
    #expect(fault("p", "--model") == "--model needs a value: FILE.")
    #expect(fault("p", "--model=") == "--model needs a value: FILE.")
    #expect(fault("p", "-mx", "-my") == "--model is given twice.")
    #expect(fault("p", "-mx", "--json=yes") == "--json takes no value.")
    #expect(
      fault("p", "-mx", "--size", "0") == "--size is '0', expected an integer from 1 to 100.")
    #expect(
      fault("p", "-mx", "--size=ten") == "--size is 'ten', expected an integer from 1 to 100.")
    #expect(
      fault("p", "-mx", "--units", "gpu") == "--units is 'gpu', expected cpuOnly, cpuAndGPU or all."
    )
  }

  @Test("An extra word is named")
  func tooMany() {
    let one = CommandSyntax("one", summary: "", operands: [.init("MODEL", help: "")])
    #expect(throws: UsageError("'b' is one operand too many.")) {
      try ParsedArguments(["a", "b"], syntax: one)
    }
  }

  @Test("The help names every operand and option")
  func helpText() {
    let text: String = syntax.helpText(program: "atelier")
    #expect(text.contains("Usage: atelier paint PHOTO… --model FILE [options]"))
    for word in ["PHOTO", "-m, --model FILE", "--size N", "-i, --input NAME=VALUE", "-h, --help"] {
      #expect(text.contains(word))
    }
  }

  @Test(
    "The edit distance counts changed letters",
    arguments: [("model", "modle", 2), ("a", "", 1), ("size", "size", 0)])
  func distances(first: String, second: String, expected: Int) {
    #expect(editDistance(first, second) == expected)
  }
}
