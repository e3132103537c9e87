/// An operator that moves elements of its inputs to other positions without changing them, for example reshape,
/// transpose, concat or gather. A moving operator takes every element type, and 64-bit values stay exact.
public protocol MovingOperator: Operator {
  /// Returns whether the operator moves the elements of an input. Inputs for which this is false hold indices, sizes or
  /// masks.
  func moves(input: Int) -> Bool
}

extension MovingOperator {
  /// True for all inputs by default.
  public func moves(input: Int) -> Bool { true }

  /// All types, because the operator does not compute with elements.
  public static var elementTypes: ElementTypes { .all }

  /// Returns whether the operator takes elements of a type at an input. An input whose elements the operator moves may
  /// have any type. Other inputs may hold integers or floats.
  public func takes(_ element: ElementType, at input: Int) -> Bool {
    moves(input: input)
      ? Self.elementTypes.contains(element) : ElementTypes.numbers.contains(element)
  }
}

/// An operator with two reference implementations, one in `Double` and one for integers. Examples are sums, products
/// and comparisons.
public protocol IntegerOperator: Operator {
  /// Returns whether the operator computes with the elements of an input. Other inputs hold indices or counts. Such an
  /// input may hold floats even if the data are integers.
  func computes(with input: Int) -> Bool

  /// The reference implementation for integers and Booleans. Results wrap around, see ``ElementType/wrapped(_:)``.
  func integerReference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor]
}

extension IntegerOperator {
  /// True for all inputs by default.
  public func computes(with input: Int) -> Bool { true }

  /// Floating-point types and integers.
  public static var elementTypes: ElementTypes { .numbers }

  /// Returns whether all inputs with which the operator computes hold integers.
  fileprivate func isInteger(_ inputs: [ReferenceTensor]) -> Bool {
    inputs.enumerated().allSatisfy { $1.element.isInteger || !computes(with: $0) }
  }
}

extension Operator {
  /// Floating-point types by default.
  public static var elementTypes: ElementTypes { .floatingPoint }

  /// Returns whether the operator takes elements of a type at an input.
  public func takes(_ element: ElementType, at input: Int) -> Bool {
    Self.elementTypes.contains(element)
  }

  /// Throws if an input has an element type that the operator does not take.
  package func requireTypes(_ inputs: [OperatorInput]) throws {
    for (position, input) in inputs.enumerated() where !takes(input.type.element, at: position) {
      let known: String = Self.elementTypes.sorted.map { "\($0)" }.joined(separator: ", ")
      throw EngineError(
        .invalidModel,
        "input \(position + 1) holds \(input.type.element) numbers, expected one of \(known).")
    }
  }

  /// Computes the outputs with the reference implementation that matches the inputs' types. Then converts the outputs
  /// to the types that shape inference returned.
  ///
  /// - Parameter types: The types from ``outputTypes(for:)``.
  public func define(_ inputs: [ReferenceTensor], types: [TensorType]) throws -> [ReferenceTensor] {
    let outputs: [ReferenceTensor]
    if inputs.allSatisfy(\.element.isFloatingPoint) {
      outputs = try reference(inputs)
    } else if let moving = self as? any MovingOperator {
      outputs = try moving.moved(inputs, types: types)
    } else if let integer = self as? any IntegerOperator, integer.isInteger(inputs) {
      outputs = try integer.integerReference(inputs)
    } else {
      outputs = try reference(inputs.map { $0.converted(to: .float64) })
    }
    return zip(outputs, types).map { output, type in
      guard output.element != type.element else { return output }
      // A floating-point output keeps its values in `Double`. The values are rounded once, when they are written to
      // memory.
      if output.element.isFloatingPoint, type.element.isFloatingPoint {
        return ReferenceTensor(output.shape, output.values, type.element)
      }
      return output.converted(to: type.element)
    }
  }
}

extension MovingOperator {
  /// Runs the reference implementation on tensors that hold, in place of each element, the number of the element's
  /// position. The result shows where each element moves. Then moves the elements themselves in the same way, whatever
  /// their type.
  fileprivate func moved(_ inputs: [ReferenceTensor], types: [TensorType]) throws
    -> [ReferenceTensor]
  {
    // A number from 2⁵² on represents the position of an element. A smaller number is a value that the operator itself
    // inserted.
    let first = 0x1p52
    var sources: [(tensor: ReferenceTensor, start: Int)] = []
    var count = 0
    let positions: [ReferenceTensor] = inputs.enumerated().map { index, input in
      guard moves(input: index) else { return input.converted(to: .float64) }
      sources.append((input, count))
      defer { count += input.shape.count }
      let start: Int = count
      return ReferenceTensor(
        input.shape, (0..<input.shape.count).map { first + Double(start + $0) }, .float64)
    }
    return try zip(reference(positions), types).map { output, type in
      var result = ReferenceTensor(output.shape, repeating: 0, type.element)
      for (position, value) in output.values.enumerated() {
        if value >= first, value < first + Double(count) {
          let index = Int(bounding: value - first, to: 0...Int.max)
          guard let source = sources.last(where: { $0.start <= index }) else { continue }
          result.set(position, from: source.tensor, index - source.start)
        } else {
          result.set(position, to: value)
        }
      }
      return result
    }
  }
}

extension ReferenceTensor {
  /// Copies one element of another tensor, and converts it if the types differ.
  fileprivate mutating func set(_ position: Int, from other: ReferenceTensor, _ index: Int) {
    switch (element.isFloatingPoint, other.element.isFloatingPoint) {
    case (true, true): values[position] = other.values[index]
    case (true, false): values[position] = element.rounded(Double(other.integerValues[index]))
    case (false, true): integerValues[position] = element.integer(other.values[index])
    case (false, false): integerValues[position] = element.wrapped(other.integerValues[index])
    }
  }

  /// Sets one element to a number.
  fileprivate mutating func set(_ position: Int, to value: Double) {
    if element.isFloatingPoint {
      values[position] = element.rounded(value)
    } else {
      integerValues[position] = element.integer(value)
    }
  }
}
