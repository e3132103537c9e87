import Foundation
import ONNXFormat

/// The page of what is supported, made of the catalogue of readers and of the results of all tests.
struct SupportPage {
  private let results: [(name: String, result: TestResult)]

  init(_ results: [(name: String, result: TestResult)]) { self.results = results }

  /// The page.
  var text: String {
    ([introduction, operators, counts] + reasons).joined(separator: "\n\n") + "\n"
  }

  private var introduction: String {
    """
    # ONNX

    Written by `make docs-onnx`; do not edit. `atelier` reads ONNX models of opsets 7 to 24 wherever it takes a model, and
    writes opset 18 (`atelier convert M -o M.onnx`).

    ## What is held how

    - `float32` is `float32`. `float16` and `bfloat16` are computed in `float32` and rounded after every operator.
      `float64` is computed in `float32`.
    - Integers of 32 and 64 bits are held as int32. Arithmetic of int32 wraps around. Constants and results of int64, uint64
      and uint32 that do not fit are kept to the range: 65,536² is 2,147,483,647, and `Int64.max` as the end of a slice is
      still its end. `atelier` and the studio refuse an input that does not fit. Smaller integers and truth values are exact. Sums of products
      of 8-bit numbers are exact up to 2²⁴.
    - Weights stay in the mapped file, also in files beside the model; a location that leads out of the model's folder, by
      its words or by a link, is refused. A `DequantizeLinear` of constants stays codes and scales in memory.
    - Free extents (`dim_param`) may be anything when the model runs. Axes, shapes and other parameters may be computed
      as long as they follow from constants and shapes; where an operator needs to know one that follows from data, it
      says so.
    - An attribute or an input that the operator does not have in the model's opset, and an attribute of another type, are
      refused by name, as ONNX Runtime does. So nothing that a model states is ignored without a word.
    - `If`, `Loop` and `Scan` run as such; an `If` whose condition is known is built in place. Functions of the model are
      expanded.
    - Sequences are taken apart while the model is read, so how many tensors there are and which one a node means must
      follow from constants and shapes.
    - Strings, sequences that cross the model's border or a loop's, maps, optional values, sparse tensors, complex numbers
      and floats of 8 bits or less are refused in words, as are random numbers and training.

    ## What is written

    Operators become nodes as the table in `Sources/Formats/ONNXFormat/Writing/Families` says. Pictures become tensors
    `[1, channels, height, width]` of 0…255, with their scaling inside of the model and properties that tell that they are
    pictures (Converting.md); free extents keep their names; branches and loops become `If` and `Loop`. `float16` constants
    stay such behind a `Cast`, codes of 8 bits behind a `DequantizeLinear`; other compressed constants are written as
    `float32`. Custom layers, states and random numbers are refused (Written.md lists what else). Of what ONNX leaves open
    (indices that name no place) nothing is written that would mean something else.
    """
  }

  private var operators: String {
    let rows: [String] = NodeCatalog.standard.families.map { family in
      "| \(family.name) | \(family.readers.map(\.name).sorted().joined(separator: ", ")) |"
    }
    return "## Operators that are read\n\n| family | operators |\n|---|---|\n"
      + rows.joined(separator: "\n")
  }

  private var counts: String {
    func count(_ word: String) -> Int { results.count { $0.result.word == word } }
    let roughly: Int = results.count {
      if case .passedRoughly = $0.result { return true }
      return false
    }
    return """
      ## The onnx package's own tests

      Of the \(results.count) node tests of onnx 1.23 **\(count("passed")) pass** and \(count("wrong")) give a wrong answer; \(count("refused") + count("failed")) are
      refused with a sentence. The tolerances are the tests' own (mostly 10⁻³ relative, 10⁻⁷ absolute); \(roughly) of those
      that pass, all of floats of 16 bits, differ by more than that and by two units in the last place at most, of which
      one is more than 10⁻³. Whole numbers, truth values and types must be equal. `make conformance-onnx` runs them. Many of
      the refused tests give axes, shapes or weights as inputs of the model, which says nothing of models that hold them
      as constants.
      """
  }

  /// The tests that do not pass, by what they are refused for.
  private var reasons: [String] {
    var groups: [String: [String]] = [:]
    for (name, result) in results {
      guard let reason = result.reason else { continue }
      let general = reason.replacing(/'[^']*'/, with: "…")
      groups[general, default: []].append(name.replacing(/^test_/, with: ""))
    }
    let sorted = groups.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    let rows: [String] = sorted.map { reason, names in
      "| \(names.count) | \(reason.replacing("|", with: "\\|")) | \(names.sorted().joined(separator: ", ")) |"
    }
    return [
      "### Tests that do not pass\n\n| tests | why | which |\n|---|---|---|\n"
        + rows.joined(separator: "\n")
    ]
  }
}
