import Graph
import ModelFormat
import NeuralNetworkFormat

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
