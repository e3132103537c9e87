import Graph
import ModelFormat

extension LayerDecoder {
  /// The error for a message of another kind than the layer decodes: a mistake of the catalogue.
  package func notA(_ field: String) -> EngineError {
    invalid("the message is not of type \(field).")
  }

  /// Signed numbers of the file as `Int`.
  package func integers(_ values: [Int64], _ field: String) throws -> [Int] {
    try values.map { try integer($0, field) }
  }

  /// Sizes of the file as `Int`.
  package func sizes(_ values: [UInt64], _ field: String) throws -> [Int] {
    try values.map { try size($0, field) }
  }

  /// Checks the number of outputs.
  package func requireOutputs(_ count: Int) throws {
    guard outputCount == count else {
      throw invalid("the layer names \(outputCount) outputs, expected \(count).")
    }
  }

  /// Two numbers in the order height, width, or the default where the field is empty.
  package func pair(_ values: [UInt64], _ field: String, default fallback: Int) throws -> (Int, Int)
  {
    if values.isEmpty { return (fallback, fallback) }
    guard values.count == 2 else {
      throw invalid("\(field) holds \(values.count) numbers, expected 2 (height, width).")
    }
    return (try size(values[0], field), try size(values[1], field))
  }
}

extension OperatorSample {
  /// Values 0, 1, 2, … of a shape, as sample inputs that show where each element went.
  package static func counting(_ shape: Shape) -> (Shape, Fill) {
    (shape, .values((0..<shape.count).map(Double.init)))
  }

}

extension ReferenceTensor {
  /// A tensor written as numbers with spaces between, for samples: a long literal of numbers costs
  /// the compiler far more than a string.
  package init(_ shape: Shape, numbers: String) {
    let values: [Double] = numbers.split(whereSeparator: { $0 == " " || $0 == "\n" })
      .compactMap { Double($0) }
    self.init(shape, values)
  }
}

extension Spec.NeuralNetworkLayer {
  /// A layer whose message is filled in by a closure, for samples.
  package init<Message: SpecMessage>(
    _ kind: (Message) -> OneOfLayer, outputs: Int = 1, set: (inout Message) -> Void = { _ in }
  ) {
    var message = Message()
    set(&message)
    self.init(kind(message), outputs: outputs)
  }
}

extension OperatorSample {
  /// Values written as numbers with spaces between.
  package static func text(_ shape: Shape, _ numbers: String) -> (Shape, Fill) {
    (shape, .values(ReferenceTensor(shape, numbers: numbers).values))
  }

  /// Pseudo-random values in −1…1.
  package static func random(_ shape: Shape) -> (Shape, Fill) { (shape, .uniform(-1...1)) }
}
