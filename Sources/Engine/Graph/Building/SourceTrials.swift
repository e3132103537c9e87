/// Trials of the shape inference of one node. Each trial replaces sources in the node's inputs by other numbers.
///
/// A trial runs the shape inference of a single operator, never of a network. ``KnownTypes`` tracks how sources
/// propagate through the network.
struct SourceTrials {
  /// A place in an input that holds a source: the extent of an axis, or an element.
  private struct Position {
    let input: Int
    /// The index of the axis or of the element.
    let index: Int
    let isAxis: Bool
    /// The index of the position's group. All positions of a group get the same number.
    let group: Int
    let bounds: ClosedRange<Int>
  }

  private let inputs: [OperatorInput]
  private let positions: [Position]
  /// For each group, the indices of its positions.
  let groups: [[Int]]
  private let numbers: [Int]

  /// Numbers that distinguish most thresholds and remainders: small, odd and large numbers.
  private static let usual: [Int] = [1, 2, 3, 7, 50, 5000, 1 << 20]
  /// If at most this many elements of an input depend on sources, each of them forms its own group. If more elements
  /// depend on sources, all elements with the same numbers in both probes form one group.
  private static let mostElements = 12
  /// At most this many trial numbers are taken from the node's constants, in addition to ``usual``. A constant with
  /// more elements than this gives no trial numbers.
  private static let mostOwn = 24

  /// Creates trials for a node's inputs.
  ///
  /// - Parameters:
  ///   - inputs: The inputs in the first probe.
  ///   - others: The inputs in the second probe.
  ///   - dependences: For each input, its dependence on free extents.
  ///   - merging: Whether positions with the same numbers in both probes form one group, for example the extents of two
  ///     branches that a later node joins.
  init(
    _ inputs: [OperatorInput], _ others: [OperatorInput], _ dependences: [FreeDependence],
    merging: Bool
  ) {
    self.inputs = inputs
    var positions: [Position] = []
    var numbers: [[Int]: Int] = [:]
    func group(_ key: [Int]) -> Int {
      if let known = numbers[key] { return known }
      numbers[key] = numbers.count
      return numbers.count - 1
    }
    var own: Set<Int> = []
    for (index, dependence) in dependences.enumerated() {
      for (axis, source) in dependence.axes.enumerated() {
        guard let source else { continue }
        let key: [Int] =
          merging ? [inputs[index].shape[axis], others[index].shape[axis]] : [-1, source.number]
        positions.append(
          Position(
            input: index, index: axis, isAxis: true, group: group(key),
            bounds: source.lower...source.upper))
      }
      // Constants that hold sizes have few elements. Larger constants are weights, which need not be decoded here.
      guard
        dependence.elements.contains(true) || (inputs[index].constant?.count ?? 0) <= Self.mostOwn,
        let first = inputs[index].value?.reals, let second = others[index].value?.reals
      else { continue }
      let count: Int = dependence.elements.lazy.filter { $0 }.count
      for element in first.indices {
        guard dependence.elements.indices.contains(element), dependence.elements[element] else {
          own.formUnion(Self.around(first[element]))
          continue
        }
        var key: [Int] = [-2, index, element]
        if merging || count > Self.mostElements, second.indices.contains(element) {
          key = [Self.integer(first[element]), Self.integer(second[element])]
        }
        positions.append(
          Position(
            input: index, index: element, isAxis: false, group: group(key),
            bounds: Int.min...Int.max))
      }
    }
    self.positions = positions
    var groups = [[Int]](repeating: [], count: numbers.count)
    for (index, position) in positions.enumerated() { groups[position.group].append(index) }
    self.groups = groups
    self.numbers = Self.usual + own.subtracting(Self.usual).sorted().prefix(Self.mostOwn)
  }

  /// Calls the closure for each trial, with the inputs of the trial.
  func forEach(_ body: ([OperatorInput]) -> Void) {
    for group in groups {
      let isExtent: Bool = group.contains { positions[$0].isAxis }
      for number in isExtent ? numbers : [-1, 0] + numbers {
        guard let changed = inputs(with: number, at: group) else { continue }
        body(changed)
      }
    }
  }

  /// Returns the inputs of a trial, in which `number` replaces the numbers at the positions of a group. Nil if the
  /// number is out of bounds, or if a position is an extent of an input with known values.
  private func inputs(with number: Int, at group: [Int]) -> [OperatorInput]? {
    var shapes: [Shape] = inputs.map(\.shape)
    var values: [Int: ReferenceTensor] = [:]
    for index in group {
      let position: Position = positions[index]
      guard position.bounds.contains(number) else { return nil }
      if position.isAxis {
        // If the values of an input are known, its shape must match the values, so no trial changes the shape.
        guard inputs[position.input].constant == nil else { return nil }
        shapes[position.input][position.index] = number
      } else if var tensor = values[position.input] ?? inputs[position.input].value {
        tensor.setElement(position.index, to: number)
        values[position.input] = tensor
      }
    }
    return inputs.indices.map { index in
      if let tensor = values[index] { return OperatorInput(inputs[index].type, value: tensor) }
      let type = TensorType(shapes[index], inputs[index].type.element)
      return OperatorInput(type, constant: inputs[index].constant)
    }
  }

  private static func around(_ value: Double) -> [Int] {
    guard value.isFinite, value.magnitude < 0x1p40 else { return [] }
    let number: Int = integer(value)
    return [number - 1, number, number + 1].filter { $0 >= 1 }
  }

  private static func integer(_ value: Double) -> Int {
    Int(bounding: value.rounded(.down), to: -(1 << 53)...1 << 53)
  }
}

extension ReferenceTensor {
  /// Sets an element to an integer. Rounds the integer to the element type, or clamps it to the range of an integer
  /// type.
  fileprivate mutating func setElement(_ index: Int, to number: Int) {
    if element.isFloatingPoint {
      values[index] = element.rounded(Double(number))
    } else {
      integerValues[index] = element.integer(Double(number))
    }
  }
}
