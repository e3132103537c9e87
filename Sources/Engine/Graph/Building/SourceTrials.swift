/// Trials of one node's type rule: the node's inputs with other numbers in the place of their sources.
///
/// Only the rule of a single operator is tried, never a network: what one operator makes of a source is
/// found by trying it, and how sources travel through the network is tracked.
struct SourceTrials {
  /// A place in an input that holds a source.
  private struct Place {
    let input: Int
    /// The axis, or the element.
    let index: Int
    let isAxis: Bool
    /// Places of one group get the same number.
    let group: Int
    let bounds: ClosedRange<Int>
  }

  private let inputs: [OperatorInput]
  private let places: [Place]
  /// The positions of the sources, by group.
  let groups: [[Int]]
  private let numbers: [Int]

  /// Numbers that tell most thresholds and remainders apart: small, odd, large.
  private static let usual: [Int] = [1, 2, 3, 7, 50, 5000, 1 << 20]
  /// The most elements of constants that are tried one by one; more get the same number.
  private static let mostElements = 12
  /// The most of the node's own constants that are tried.
  private static let mostOwn = 24

  /// Trials of a node's inputs.
  ///
  /// - Parameters:
  ///   - inputs: The inputs as they are in the first probe.
  ///   - others: The same in the second.
  ///   - dependences: One for each input.
  ///   - merging: Whether places that hold the same numbers in both probes get the same number in every
  ///     trial, as the extents of two branches that meet again.
  init(
    _ inputs: [OperatorInput], _ others: [OperatorInput], _ dependences: [FreeDependence],
    merging: Bool
  ) {
    self.inputs = inputs
    var places: [Place] = []
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
        places.append(
          Place(
            input: index, index: axis, isAxis: true, group: group(key),
            bounds: source.lower...source.upper))
      }
      // Sizes are few numbers; weights are not decoded here.
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
          key = [Self.whole(first[element]), Self.whole(second[element])]
        }
        places.append(
          Place(
            input: index, index: element, isAxis: false, group: group(key),
            bounds: Int.min...Int.max))
      }
    }
    self.places = places
    var groups = [[Int]](repeating: [], count: numbers.count)
    for (position, place) in places.enumerated() { groups[place.group].append(position) }
    self.groups = groups
    self.numbers = Self.usual + own.subtracting(Self.usual).sorted().prefix(Self.mostOwn)
  }

  /// Calls with the inputs of every trial.
  func forEach(_ body: ([OperatorInput]) -> Void) {
    for group in groups {
      let isExtent: Bool = group.contains { places[$0].isAxis }
      for number in isExtent ? numbers : [-1, 0] + numbers {
        guard let changed = inputs(with: number, at: group) else { continue }
        body(changed)
      }
    }
  }

  /// The inputs with a number at some places; nil where it is out of their bounds.
  private func inputs(with number: Int, at group: [Int]) -> [OperatorInput]? {
    var shapes: [Shape] = inputs.map(\.shape)
    var values: [Int: ReferenceTensor] = [:]
    for position in group {
      let place: Place = places[position]
      guard place.bounds.contains(number) else { return nil }
      if place.isAxis {
        // An extent of values that are known is theirs.
        guard inputs[place.input].constant == nil else { return nil }
        shapes[place.input][place.index] = number
      } else if var tensor = values[place.input] ?? inputs[place.input].value {
        tensor.setElement(place.index, to: number)
        values[place.input] = tensor
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
    let number: Int = whole(value)
    return [number - 1, number, number + 1].filter { $0 >= 1 }
  }

  private static func whole(_ value: Double) -> Int {
    Int(bounding: value.rounded(.down), to: -(1 << 53)...1 << 53)
  }
}

extension ReferenceTensor {
  /// Puts an integer in the place of an element, as far as the type can hold it.
  fileprivate mutating func setElement(_ position: Int, to number: Int) {
    if element.isFloatingPoint {
      values[position] = element.rounded(Double(number))
    } else {
      wholes[position] = element.whole(Double(number))
    }
  }
}
