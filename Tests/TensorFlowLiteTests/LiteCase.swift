import Foundation
import TensorFlowLite
import Testing

/// A small model with LiteRT's answers, from a file that Expected/make_operators.py wrote.
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

  /// The cases of a file beside the tests.
  static func cases(_ name: String) -> [LiteCase] {
    let file: URL = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Expected/\(name).json")
    return cases(file)
  }

  /// The cases of a file; none where it does not exist.
  static func cases(_ file: URL) -> [LiteCase] {
    guard let data = try? Data(contentsOf: file) else { return [] }
    do {
      return try JSONDecoder().decode([LiteCase].self, from: data)
    } catch {
      Issue.record("\(file.path): \(error)")
      return []
    }
  }

  /// The largest distance of an answer from LiteRT's: relative to the largest number, or in codes.
  func run(threads: Int? = nil) throws -> (relative: Double, codes: Int) {
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
    var worst = (relative: 0.0, codes: 0)
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
        for (a, b) in zip(mine, theirs) { worst.codes = max(worst.codes, Int(abs(a - b))) }
      }
    }
    return worst
  }
}

extension Tensor.DataType {
  /// Whether elements have fractions.
  var isReal: Bool { self == .float32 || self == .float16 || self == .float64 }
}

extension Tensor {
  /// The elements.
  var numbers: [Double] { numbers(in: data) }

  /// The elements that bytes hold.
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
