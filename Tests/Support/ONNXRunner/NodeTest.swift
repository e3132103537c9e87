import Engine
import Foundation
import ModelFormat
import ONNXFormat

/// What came of a test.
enum TestResult {
  case passed
  /// As above, but for what numbers of 16 bits may differ in their last two units.
  case passedRoughly
  /// The model asks for what is not supported: the sentence.
  case refused(String)
  /// The model should run and fails: the sentence.
  case failed(String)
  /// The answer differs.
  case wrong(String)
  /// The test has values that no file can hold, or asks for what nobody can know.
  case skipped(String)

  static let words: [String] = ["passed", "refused", "failed", "wrong", "skipped"]

  var word: String {
    switch self {
    case .passed, .passedRoughly: "passed"
    case .refused: "refused"
    case .failed: "failed"
    case .wrong: "wrong"
    case .skipped: "skipped"
    }
  }

  var reason: String? {
    switch self {
    case .passed, .passedRoughly: nil
    case .refused(let words), .failed(let words), .wrong(let words), .skipped(let words): words
    }
  }
}

/// One test: a model, and sets of inputs with the outputs that are expected.
struct NodeTest {
  private let folder: URL

  init(_ folder: URL) { self.folder = folder }

  func run() -> TestResult {
    do {
      let model: GraphModel = try ONNXReader.read(folder.appendingPathComponent("model.onnx"))
      var isExact = true
      for set in 0..<100 {
        let data: URL = folder.appendingPathComponent("test_data_set_\(set)")
        guard FileManager.default.fileExists(atPath: data.path) else { break }
        guard try difference(model, data, units: 0) != nil else { continue }
        if let difference = try difference(model, data, units: 2) { return .wrong(difference) }
        isExact = false
      }
      return isExact ? .passed : .passedRoughly
    } catch let error as EngineError where error.code == .unsupported {
      return .refused(error.message)
    } catch let error as EngineError {
      return .failed(error.message)
    } catch {
      return .failed("\(error)")
    }
  }

  /// What differs from the expected outputs; nil where nothing does.
  ///
  /// - Parameter units: how many units in the last place numbers of 16 bits may differ.
  private func difference(_ model: GraphModel, _ data: URL, units: Double) throws -> String? {
    var inputs: [ReferenceTensor] = []
    for (position, feature) in model.inputs.enumerated() {
      let file = data.appendingPathComponent("input_\(position).pb")
      guard let bytes = try? Data(contentsOf: file) else {
        throw EngineError(.unsupported, "input \(position) is left out.")
      }
      let tensor: ReferenceTensor = try TensorFile.tensor(bytes)
      guard tensor.element == feature.element else {
        return "input \(feature.name) is \(tensor.element), the model says \(feature.element)"
      }
      inputs.append(tensor.heldFromONNX())
    }
    let made: [ReferenceTensor] = try GraphRun(model.graph).outputs(inputs)
    let tolerances: [Double] =
      (try? String(contentsOf: folder.appendingPathComponent("tolerances.txt"), encoding: .utf8))?
      .split(whereSeparator: \.isWhitespace).compactMap { Double($0) } ?? [1e-3, 1e-7]
    for (position, feature) in model.outputs.enumerated() {
      let file = data.appendingPathComponent("output_\(position).pb")
      guard let bytes = try? Data(contentsOf: file) else { continue }
      let expected: ReferenceTensor = try TensorFile.tensor(bytes)
      guard expected.element == feature.element else {
        return "\(feature.name) is \(feature.element), expected \(expected.element)"
      }
      let answer: ReferenceTensor = made[position]
      if let words = answer.difference(
        from: expected, relative: tolerances[0], absolute: tolerances[1], units: units)
      {
        return "\(feature.name) \(words)"
      }
    }
    return nil
  }
}

/// Tensors in files of their own.
enum TensorFile {
  static func tensor(_ bytes: Data) throws -> ReferenceTensor {
    let values = ByteValues([UInt8](bytes))
    let message: ONNX.TensorProto
    do {
      message = try ONNX.TensorProto(serialized: values, name: "tensor")
    } catch {
      throw EngineError(.unsupported, "the value is no tensor.")
    }
    let context = ModelContext(ONNX.ModelProto(), folder: nil)
    return try message.values(in: context)
  }
}

extension ReferenceTensor {
  /// How it differs from what is expected, as the onnx package's own tests measure it: whole numbers and truth
  /// values must be equal, others within `absolute + relative · |expected|`, or within so many units in the last place
  /// of numbers of 16 bits: 10⁻³ is less than one of them, sums are rounded once here, and after each step there.
  func difference(
    from expected: ReferenceTensor, relative: Double, absolute: Double, units: Double
  ) -> String? {
    guard shape == expected.shape else { return "is \(shape), expected \(expected.shape)" }
    let (ours, theirs) = (reals, expected.reals)
    let bits: Int32? = expected.element == .bfloat16 ? 7 : expected.element == .float16 ? 10 : nil
    var first: Int?
    var (count, largest, sum) = (0, 0.0, 0.0)
    for (position, (a, b)) in zip(ours, theirs).enumerated() {
      if a == b || a.isNaN && b.isNaN { continue }
      largest = max(largest, abs(a - b))
      sum += abs(a - b)
      let isNear: Bool =
        expected.element.isFloatingPoint
        && (abs(a - b) <= absolute + relative * abs(b)
          || bits.map { abs(a - b) <= units * scalbn(1, Int(b.exponent) - Int($0)) } ?? false)
      if !isNear {
        if first == nil { first = position }
        count += 1
      }
    }
    guard let first else { return nil }
    return
      "[\(first)] is \(ours[first]), expected \(theirs[first]); \(count) of \(ours.count) differ too much, by \(largest) at most and \(sum / Double(ours.count)) on average"
  }
}
