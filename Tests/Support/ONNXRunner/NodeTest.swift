import Engine
import Foundation
import ModelFormat
import ONNXFormat

/// The result of a test.
enum TestResult {
  case passed
  /// The outputs have 16-bit floats, and the test passed only with the looser tolerance for them: two units in the last
  /// place.
  case passedRoughly
  /// The model uses an unsupported feature. Holds the message of the error.
  case refused(String)
  /// The model should run, but it fails. Holds the message of the error.
  case failed(String)
  /// The outputs differ from the expected outputs. Holds a description of the difference.
  case wrong(String)
  /// The test was not run. It has values that no file can hold, or expects an unpredictable result. Holds the reason.
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

/// One test: a model, and sets of inputs with the expected outputs.
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

  /// Describes the difference of the model's outputs from the expected outputs. Nil if there is no difference.
  ///
  /// - Parameter units: the allowed difference of 16-bit floats, in units in the last place.
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

/// Reads tensors from separate files.
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
  /// Describes the difference from the expected tensor, by the criteria of the onnx package's tests. Integers and
  /// Booleans must be equal. Floats must be within `absolute + relative · |expected|`. For 16-bit floats, a difference
  /// of `units` units in the last place is also allowed, for two reasons. A relative difference of 10⁻³ may be less
  /// than one unit. Our kernels round a sum once, but onnx rounds after each step.
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
