/// An operator whose outputs hold elements of its inputs as they are, each at another place: reshape,
/// transpose, concat, gather. It takes every element type, and values of 64 bits stay exact.
public protocol MovingOperator: Operator {
  /// Whether elements of an input are moved; the elements of others say where.
  func moves(input: Int) -> Bool
}

extension MovingOperator {
  /// All inputs are data unless an operator says otherwise.
  public func moves(input: Int) -> Bool { true }

  /// Elements are not computed with.
  public static var elementTypes: ElementTypes { .all }

  /// Data may be of any type; places may be whole numbers or floats.
  public func takes(_ element: ElementType, at input: Int) -> Bool {
    moves(input: input)
      ? Self.elementTypes.contains(element) : ElementTypes.numbers.contains(element)
  }
}

/// An operator that has a definition in whole numbers beside that in `Double`: sums, products, comparisons.
public protocol WholeNumberOperator: Operator {
  /// Whether an input is computed with; the elements of others say where or how many, and may have
  /// fractions beside whole numbers.
  func computes(with input: Int) -> Bool

  /// The definition where the inputs are whole numbers or truth values; results wrap around by
  /// ``ElementType/wrapped(_:)``.
  func wholeReference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor]
}

extension WholeNumberOperator {
  /// All inputs are data unless an operator says otherwise.
  public func computes(with input: Int) -> Bool { true }

  /// Whole numbers too.
  public static var elementTypes: ElementTypes { .numbers }

  /// Whether what is computed with are whole numbers.
  fileprivate func isWhole(_ inputs: [ReferenceTensor]) -> Bool {
    inputs.enumerated().allSatisfy { $1.element.isInteger || !computes(with: $0) }
  }
}

extension Operator {
  /// Types with fractions unless an operator says otherwise.
  public static var elementTypes: ElementTypes { .floatingPoint }

  /// Whether an input may have elements of a type: those that the operator takes.
  public func takes(_ element: ElementType, at input: Int) -> Bool {
    Self.elementTypes.contains(element)
  }

  /// Throws where an input has elements of a type that the operator does not take.
  package func requireTypes(_ inputs: [OperatorInput]) throws {
    for (position, input) in inputs.enumerated() where !takes(input.type.element, at: position) {
      let known: String = Self.elementTypes.sorted.map { "\($0)" }.joined(separator: ", ")
      throw EngineError(
        .invalidModel,
        "input \(position + 1) holds \(input.type.element) numbers, expected one of \(known).")
    }
  }

  /// What the operator makes of typed inputs: its definition in the inputs' own numbers, with results of
  /// the promised types.
  ///
  /// - Parameter types: what ``outputTypes(for:)`` promised.
  public func define(_ inputs: [ReferenceTensor], types: [TensorType]) throws -> [ReferenceTensor] {
    let outputs: [ReferenceTensor]
    if inputs.allSatisfy(\.element.isFloatingPoint) {
      outputs = try reference(inputs)
    } else if let moving = self as? any MovingOperator {
      outputs = try moving.moved(inputs, types: types)
    } else if let whole = self as? any WholeNumberOperator, whole.isWhole(inputs) {
      outputs = try whole.wholeReference(inputs)
    } else {
      outputs = try reference(inputs.map { $0.converted(to: .float64) })
    }
    return zip(outputs, types).map { output, type in
      guard output.element != type.element else { return output }
      // What memory of the type cannot hold is rounded when it is written there, once.
      if output.element.isFloatingPoint, type.element.isFloatingPoint {
        return ReferenceTensor(output.shape, output.values, type.element)
      }
      return output.converted(to: type.element)
    }
  }
}

extension MovingOperator {
  /// The definition applied to the places of elements rather than to the elements: what it moves where
  /// then holds for elements of any type.
  fileprivate func moved(_ inputs: [ReferenceTensor], types: [TensorType]) throws
    -> [ReferenceTensor]
  {
    // Numbers from 2⁵² on stand for places; what is smaller is a number that the operator put there itself.
    let first = 0x1p52
    var sources: [(tensor: ReferenceTensor, start: Int)] = []
    var count = 0
    let placed: [ReferenceTensor] = inputs.enumerated().map { index, input in
      guard moves(input: index) else { return input.converted(to: .float64) }
      sources.append((input, count))
      defer { count += input.shape.count }
      let start: Int = count
      return ReferenceTensor(
        input.shape, (0..<input.shape.count).map { first + Double(start + $0) }, .float64)
    }
    return try zip(reference(placed), types).map { output, type in
      var result = ReferenceTensor(output.shape, repeating: 0, type.element)
      for (position, value) in output.values.enumerated() {
        if value >= first, value < first + Double(count) {
          let place = Int(bounding: value - first, to: 0...Int.max)
          guard let source = sources.last(where: { $0.start <= place }) else { continue }
          result.set(position, from: source.tensor, place - source.start)
        } else {
          result.set(position, to: value)
        }
      }
      return result
    }
  }
}

extension ReferenceTensor {
  /// Copies one element of another tensor, converted where the types differ.
  fileprivate mutating func set(_ position: Int, from other: ReferenceTensor, _ place: Int) {
    switch (element.isFloatingPoint, other.element.isFloatingPoint) {
    case (true, true): values[position] = other.values[place]
    case (true, false): values[position] = element.rounded(Double(other.wholes[place]))
    case (false, true): wholes[position] = element.whole(other.values[place])
    case (false, false): wholes[position] = element.wrapped(other.wholes[place])
    }
  }

  /// Sets one element to a number.
  fileprivate mutating func set(_ position: Int, to value: Double) {
    if element.isFloatingPoint {
      values[position] = element.rounded(value)
    } else {
      wholes[position] = element.whole(value)
    }
  }
}
