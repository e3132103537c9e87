/// A node, and the facts about the node's inputs and outputs in both probes. A ``Probe`` is a run of shape inference in
/// which certain numbers replace the free extents.
struct ProbedNode {
  let node: Graph.Node
  /// The inputs of the node, for each probe.
  let inputs: [[OperatorInput]]
  /// The outputs of the node, for each probe.
  let outputs: [[Probe.Fact]]
  /// For each input, which axes and elements of the input depend on free extents.
  let dependences: [FreeDependence]

  /// Returns, for each output, which axes and elements of the output depend on free extents.
  ///
  /// - Parameter newSource: Returns a number that no other source has.
  func outputDependences(newSource: () -> Int) -> [FreeDependence] {
    guard dependences.contains(where: \.isFree) else {
      return outputs[0].map { .none(rank: $0.type.shape.rank) }
    }
    if let broadcast = broadcastDependence { return [broadcast] }
    var found: [OutputTrial] = outputs[0].indices.map { index in
      OutputTrial(outputs.map { $0[index] }, inputs, dependences)
    }
    var partition: [[Int]]?
    for merging in [true, false] {
      let trials = SourceTrials(inputs[0], inputs[1], dependences, merging: merging)
      // If merging does not change the groups, the trials without merging would repeat the trials with merging.
      guard trials.groups != partition else { continue }
      partition = trials.groups
      trials.forEach { changed in
        guard let made = try? Graph.inferred(node, from: changed) else { return }
        for (index, fact) in made.enumerated() where found.indices.contains(index) {
          found[index].compare(Probe.Fact(type: fact.type, constant: fact.constant), changed)
        }
      }
    }
    for index in found.indices { found[index].add(elements: freeElements(ofOutput: index)) }
    return found.map { $0.dependence(newSource: newSource) }
  }

  /// The dependence of a broadcasting operator's output; nil for other operators. Each axis of the output has the
  /// source of an input axis that is aligned with the output axis.
  private var broadcastDependence: FreeDependence? {
    guard node.operation is any BroadcastingOperator, outputs[0].count == 1 else { return nil }
    let shape: Shape = outputs[0][0].type.shape
    var result = FreeDependence.none(rank: shape.rank)
    for dependence in dependences where dependence.axes.count <= shape.rank {
      let missing: Int = shape.rank - dependence.axes.count
      for (axis, source) in dependence.axes.enumerated() where result.axes[axis + missing] == nil {
        result.axes[axis + missing] = source
      }
    }
    if outputs.allSatisfy({ $0[0].constant != nil }) { result.elements = alignedElements(shape) }
    return result
  }

  /// Returns, for each element of an output with known values, whether the element depends on a source. The trials
  /// (``SourceTrials``) cannot show this for every operator. For example, an operator may compare a size with a number
  /// that no trial uses.
  private func freeElements(ofOutput index: Int) -> [Bool] {
    guard outputs.allSatisfy({ $0[index].constant != nil }) else { return [] }
    let shape: Shape = outputs[0][index].type.shape
    // If an input's values are unknown, the output's values follow from extents only, and the trials have already
    // tested all extents.
    guard inputs[0].allSatisfy({ $0.constant != nil }) else { return [] }
    if let moving = node.operation as? any MovingOperator { return moved(by: moving, index, shape) }
    return [Bool](repeating: true, count: shape.count)
  }

  /// Returns, for each element of the output, whether it is a copy of an element that depends on a source. To find out,
  /// runs the operator on inputs in which a mark replaces every element that depends on a source, and 0 replaces all
  /// other elements.
  private func moved(
    by operation: any MovingOperator, _ index: Int, _ shape: Shape
  ) -> [Bool] {
    let all = [Bool](repeating: true, count: shape.count)
    let mark = 0x1p52
    var marked: [ReferenceTensor] = []
    for (position, input) in inputs[0].enumerated() {
      guard let value = input.value else { return all }
      let elements: [Bool] = dependences[position].elements
      guard operation.moves(input: position) else {
        if elements.contains(true) { return all }
        marked.append(value.converted(to: .float64))
        continue
      }
      let marks: [Double] = (0..<value.shape.count).map {
        elements.indices.contains($0) && elements[$0] ? mark : 0
      }
      marked.append(ReferenceTensor(value.shape, marks, .float64))
    }
    guard let made = try? operation.reference(marked), made.indices.contains(index),
      made[index].shape == shape
    else { return all }
    return made[index].values.map { $0 == mark }
  }

  /// Returns, for each element of a broadcast output, whether any input's element at the same index depends on a
  /// source.
  private func alignedElements(_ shape: Shape) -> [Bool] {
    var result = [Bool](repeating: false, count: shape.count)
    for (input, dependence) in zip(inputs[0], dependences) where dependence.elements.contains(true)
    {
      let own: Shape = input.shape.padded(toRank: shape.rank)
      guard own.rank == shape.rank else { continue }
      let strides: [Int] = own.strides
      shape.forEachIndex { index, position in
        var offset = 0
        for axis in index.indices where own[axis] > 1 { offset += index[axis] * strides[axis] }
        if dependence.elements.indices.contains(offset), dependence.elements[offset] {
          result[position] = true
        }
      }
    }
    return result
  }
}

/// The findings of a node's trials about one of the node's outputs.
private struct OutputTrial {
  private let first: Probe.Fact
  private let values: ReferenceTensor?
  private var freeAxes: [Bool]
  private var freeElements: [Bool]
  /// For each axis of the output, the input axes that have had the same extent as this axis in both probes and every
  /// trial.
  private var equals: [[(input: Int, axis: Int, source: FreeSource)]]

  init(_ probes: [Probe.Fact], _ inputs: [[OperatorInput]], _ dependences: [FreeDependence]) {
    first = probes[0]
    let shapes: [Shape] = probes.map(\.type.shape)
    let isOneRank: Bool = shapes.allSatisfy { $0.rank == shapes[0].rank }
    freeAxes = shapes[0].dimensions.indices.map { axis in
      !isOneRank || shapes.contains { $0[axis] != shapes[0][axis] }
    }
    let known: [ReferenceTensor] = probes.compactMap { try? $0.constant?.tensor() }
    values = known.count == probes.count ? known[0] : nil
    freeElements = []
    if let values {
      freeElements = (0..<values.shape.count).map { position in
        known.contains { $0.shape != values.shape || !$0.hasElement(position, like: values) }
      }
    }
    equals = shapes[0].dimensions.indices.map { axis in
      guard isOneRank else { return [] }
      return dependences.indices.flatMap { input in
        dependences[input].axes.enumerated().compactMap { position, source in
          guard let source,
            shapes.indices.allSatisfy({ inputs[$0][input].shape[position] == shapes[$0][axis] })
          else { return nil }
          return (input, position, source)
        }
      }
    }
  }

  /// Compares the output of a trial with the output in the first probe.
  mutating func compare(_ fact: Probe.Fact, _ inputs: [OperatorInput]) {
    let (old, new) = (first.type.shape, fact.type.shape)
    guard old.rank == new.rank else {
      freeAxes = freeAxes.map { _ in true }
      freeElements = freeElements.map { _ in true }
      return
    }
    for axis in freeAxes.indices {
      if old[axis] != new[axis] { freeAxes[axis] = true }
      equals[axis].removeAll { inputs[$0.input].shape[$0.axis] != new[axis] }
    }
    guard let values, freeElements.contains(false) else { return }
    guard let others = try? fact.constant?.tensor(), others.shape == values.shape else { return }
    for position in freeElements.indices where !others.hasElement(position, like: values) {
      freeElements[position] = true
    }
  }

  /// Marks further elements as dependent on a source: those for which `elements` is true.
  mutating func add(elements: [Bool]) {
    for position in elements.indices where freeElements.indices.contains(position) {
      if elements[position] { freeElements[position] = true }
    }
  }

  /// Returns the dependence that the probes and the trials have shown.
  func dependence(newSource: () -> Int) -> FreeDependence {
    let axes: [FreeSource?] = freeAxes.indices.map { axis in
      guard freeAxes[axis] else { return nil }
      if let equal = equals[axis].first { return equal.source }
      return FreeSource(number: newSource(), lower: 0, upper: Int.max)
    }
    return FreeDependence(axes: axes, elements: freeElements.contains(true) ? freeElements : [])
  }
}

extension ReferenceTensor {
  /// Returns whether the elements of two tensors at the same position are equal. NaN equals NaN.
  fileprivate func hasElement(_ position: Int, like other: ReferenceTensor) -> Bool {
    guard element == other.element else { return false }
    if element.isInteger { return integerValues[position] == other.integerValues[position] }
    let (own, its) = (values[position], other.values[position])
    return own == its || own.isNaN && its.isNaN
  }
}
