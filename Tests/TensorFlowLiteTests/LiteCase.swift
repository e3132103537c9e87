import Foundation
import TensorFlowLite
import Testing

/// A small model with the outputs that LiteRT computes, from a file that Expected/make_operators.py wrote.
struct LiteCase: Decodable, Sendable, CustomTestStringConvertible {
  let name: String
  let model: Data
  let inputs: [Data]
  let shapes: [[Int]]
  let outputs: [Data]
  let outputShapes: [[Int]]
  let tolerance: Double
  let steps: Int

  var testDescription: String { name }

  /// Reads the cases of a file next to the tests.
  static func cases(_ name: String) -> [LiteCase] {
    let file: URL = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Expected/\(name).json")
    return cases(file)
  }

  /// Reads the cases of a file. Empty if the file does not exist.
  static func cases(_ file: URL) -> [LiteCase] {
    guard let data = try? Data(contentsOf: file) else { return [] }
    do {
      return try JSONDecoder().decode([LiteCase].self, from: data)
    } catch {
      Issue.record("\(file.path): \(error)")
      return []
    }
  }

  /// Runs the model. Returns the largest differences from LiteRT's outputs. For floating-point outputs, the difference
  /// is divided by the largest magnitude. For integer outputs, it is in quantisation steps.
  func run(threads: Int? = nil) throws -> (relative: Double, steps: Int) {
    var options = InterpreterOptions()
    options.threadCount = threads
    let interpreter = try Interpreter(modelData: model, options: options)
    for (index, shape) in shapes.enumerated() {
      try interpreter.allocateTensors()
      if try interpreter.input(at: index).shape.dimensions != shape {
        try interpreter.resizeInput(at: index, to: Tensor.Shape(shape))
      }
    }
    try interpreter.allocateTensors()
    for (index, data) in inputs.enumerated() { try interpreter.copy(data, toInputAt: index) }
    try interpreter.invoke()
    var worst = (relative: 0.0, steps: 0)
    try #require(interpreter.outputTensorCount == outputs.count)
    for (index, expected) in outputs.enumerated() {
      let found: Tensor = try interpreter.output(at: index)
      #expect(found.shape.dimensions == outputShapes[index])
      try #require(found.data.count == expected.count)
      let (mine, theirs) = (found.numbers, found.numbers(in: expected))
      if found.dataType.isReal {
        let largest: Double = theirs.filter(\.isFinite).map(abs).max() ?? 0
        for (a, b) in zip(mine, theirs) where !(a == b || a.isNaN && b.isNaN) {
          let distance: Double = abs(a - b) / max(largest, 1e-6)
          worst.relative = max(worst.relative, distance.isNaN ? .infinity : distance)
        }
      } else {
        for (a, b) in zip(mine, theirs) { worst.steps = max(worst.steps, Int(abs(a - b))) }
      }
    }
    return worst
  }
}

extension Tensor.DataType {
  /// Whether the element type is floating point.
  var isReal: Bool { self == .float32 || self == .float16 || self == .float64 }
}

extension Tensor {
  /// The elements of the tensor.
  var numbers: [Double] { numbers(in: data) }

  /// Decodes the elements stored in bytes.
  func numbers(in data: Data) -> [Double] {
    func each<Element>(_ type: Element.Type, _ value: (Element) -> Double) -> [Double] {
      data.withUnsafeBytes { bytes in
        stride(from: 0, to: bytes.count, by: MemoryLayout<Element>.size).map {
          value(bytes.loadUnaligned(fromByteOffset: $0, as: type))
        }
      }
    }
    switch dataType {
    case .bool, .uInt8: return each(UInt8.self) { Double($0) }
    case .int8: return each(Int8.self) { Double($0) }
    case .int16: return each(Int16.self) { Double($0) }
    case .int32: return each(Int32.self) { Double($0) }
    case .int64: return each(Int64.self) { Double($0) }
    case .float16: return each(Float16.self) { Double($0) }
    case .float32: return each(Float.self) { Double($0) }
    case .float64: return each(Double.self) { $0 }
    }
  }
}
