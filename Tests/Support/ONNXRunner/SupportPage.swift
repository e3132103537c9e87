import Foundation
import ONNXFormat

/// The support page, generated from the readers' catalogue and the results of all tests.
struct SupportPage {
  private let results: [(name: String, result: TestResult)]

  init(_ results: [(name: String, result: TestResult)]) { self.results = results }

  /// The text of the page.
  var text: String {
    ([introduction, operators, counts] + reasons + [next]).joined(separator: "\n\n") + "\n"
  }

  private var introduction: String {
    """
    # ONNX

        atelier predict model.onnx -i image=photo.jpg
        atelier convert model.onnx -o model.mlpackage
        atelier convert model.mlmodel -o model.onnx

    Every command that takes a model reads ONNX models of opset 7 and later. `atelier convert` writes opset 18. `make docs-onnx`
    writes this page; do not edit it. For 8-bit networks see [Quantised networks](Quantized.md).

    ## How models are read

    - **Real numbers.** `float32` is computed in `float32`. `float16` and `bfloat16` are computed in `float32` and rounded
      after every operator. `float64` is computed in `float32`.
    - **Integers.** Integers of 32 and 64 bits are stored as int32. int32 arithmetic wraps around. Constants and results of
      int64, uint64 and uint32 are clamped to the range of int32: 65,536² is 2,147,483,647, and a slice that ends at
      `Int64.max` still includes the last element. `atelier` and the studio refuse an input outside that range. Smaller
      integers and booleans are exact. Sums of products of 8-bit numbers are exact up to 2²⁴.
    - **Weights** stay in the mapped file, also in files beside the model. The reader refuses a file outside the model's
      folder, even if a symbolic link leads there. A `DequantizeLinear` of constants stays quantised in memory, with its
      scales.
    - **Dynamic axes** (`dim_param`) may have any length when the model runs. Axes, shapes and other parameters may be
      computed, as long as they depend only on constants and shapes. If such a parameter depends on other data, the error
      says so. `CumProd` becomes one operator per element of its axis, and `SplitToSequence` one tensor per part: if the
      size of that axis is dynamic, the error names it, and `atelier convert --shape NAME=N,N,…` states it.
    - **Attributes and inputs** that the operator does not have in the model's opset, and attributes of the wrong type, are
      refused by name, as in ONNX Runtime. So the reader ignores nothing silently.
    - **Control flow.** `If`, `Loop` and `Scan` run as control flow. An `If` with a constant condition is replaced by its
      branch. Functions of the model are expanded.
    - **Sequences** are resolved while the model is read. So the number of tensors, and which one a node refers to, must
      depend only on constants and shapes.
    - **Not supported:** strings, sequences as inputs or outputs of a model or a loop, maps, optional values, sparse
      tensors, complex numbers, floats of 8 bits or less, random numbers, and training. The error names what is missing.

    ## How models are written

    - **Operators** become nodes as the table in `Sources/Formats/ONNXFormat/Writing/Families` says. Branches and loops
      become `If` and `Loop`.
    - **Pictures** become tensors `[1, channels, height, width]` of 0…255. Their scaling is part of the model, and properties
      mark them as pictures ([Converting](Converting.md)).
    - **Dynamic axes** keep their names.
    - **Constants.** `float16` constants stay `float16`, with a `Cast` after them; 8-bit quantised constants stay so, with a
      `DequantizeLinear` after them. Other compressed constants are written as `float32`.
    - **Refused:** custom layers, states and random numbers. [What formats cannot say](Written.md) lists what else.
    - **Undefined results.** ONNX leaves some results undefined, such as those for indices out of range. If our operator
      defines such a result, the writer refuses the operator.
    """
  }

  private let next = """
    ## Next

    - [Converting](Converting.md): options for inputs, labels and formats
    - [What formats cannot say](Written.md): what the writer refuses
    - [Quantised networks](Quantized.md): how Atelier computes with 8-bit integers
    """

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
      refused with an error message. `make conformance-onnx` runs the tests.

      - **Tolerances** are the tests' own (mostly 10⁻³ relative, 10⁻⁷ absolute). \(roughly) tests of 16-bit floats count as
        passed although they differ by more than that: by at most two units in the last place, where one unit is more
        than 10⁻³. Integers, booleans and types must be equal.
      - **Refused tests.** Many of them pass axes, shapes or weights as inputs of the model. Models that hold these as
        constants are not affected.
      """
  }

  /// The tests that do not pass, grouped by the message of the error.
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
