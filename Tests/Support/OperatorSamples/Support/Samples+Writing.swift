import Graph
import ModelFormat
import NeuralNetworkFormat

extension OperatorSample {
  /// Returns the values 0, 1, 2, … in a shape. If an operator moves these values, its output shows where each element
  /// went.
  package static func counting(_ shape: Shape) -> (Shape, Fill) {
    (shape, .values((0..<shape.count).map(Double.init)))
  }
}

extension ReferenceTensor {
  /// Creates a tensor from numbers in a string, separated by spaces. The compiler processes a string far faster than a
  /// long array literal.
  package init(_ shape: Shape, numbers: String) {
    let values: [Double] = numbers.split(whereSeparator: { $0 == " " || $0 == "\n" })
      .compactMap { Double($0) }
    self.init(shape, values)
  }
}

extension Spec.NeuralNetworkLayer {
  /// Creates a layer with a message. The closure sets the fields of the message.
  package init<Message: SpecMessage>(
    _ kind: (Message) -> OneOfLayer, outputs: Int = 1, set: (inout Message) -> Void = { _ in }
  ) {
    var message = Message()
    set(&message)
    self.init(kind(message), outputs: outputs)
  }
}

extension OperatorSample {
  /// Returns the values in a text of numbers that are separated by spaces.
  package static func text(_ shape: Shape, _ numbers: String) -> (Shape, Fill) {
    (shape, .values(ReferenceTensor(shape, numbers: numbers).values))
  }

  /// Requests pseudo-random values in −1…1 for an input.
  package static func random(_ shape: Shape) -> (Shape, Fill) { (shape, .uniform(-1...1)) }
}
