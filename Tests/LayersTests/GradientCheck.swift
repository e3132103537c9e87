import Engine
import Operators
import Testing

/// A layer with the loss `Σ output · weights`, and the gradients that the layer's gradient rule computes with respect
/// to the layer's variables.
struct GradientCheck {
  let layer: any Operator
  let inputs: [ReferenceTensor]
  /// The indices of the inputs to differentiate with respect to.
  let variables: [Int]
  /// The weights of the loss: one tensor for each output.
  let weights: [ReferenceTensor]
  /// The gradients that the rule computes: one tensor for each variable.
  let gradients: [ReferenceTensor]

  /// Builds the check of a sample. Nil if a tensor is empty or too large. Also nil if the gradient rule refuses the
  /// options of the sample. The rule must then give a message.
  static func make(_ test: LayerCase, onlyFirst: Bool) throws -> GradientCheck? {
    let decoded = try test.decoded()
    let layer = decoded.operation
    var inputs: [ReferenceTensor] = test.makeInputs().enumerated().map {
      (number: Int, input: ReferenceTensor) -> ReferenceTensor in
      if case .uniform = test.sample.inputs[number].fill { return input }
      return onlyFirst && number > 0 ? input : nudged(input, seed: UInt64(number))
    }
    inputs += try decoded.constants.map { try $0.value.tensor() }
    guard inputs.allSatisfy({ $0.shape.count > 0 }) else { return nil }
    let answers = try layer.reference(inputs)
    guard answers.allSatisfy({ $0.shape.count > 0 && $0.shape.count <= 20_000 }) else { return nil }
    let weights: [ReferenceTensor] = answers.enumerated().map { number, answer in
      var generator = SplitMix64(seed: UInt64(number) + 99)
      return ReferenceTensor(
        answer.shape, (0..<answer.shape.count).map { _ in generator.uniform(-1...1) })
    }
    let variables: [Int] = onlyFirst ? [0] : Array(inputs.indices)
    do {
      let gradients = try gradients(of: layer, inputs, variables, weights)
      return GradientCheck(
        layer: layer, inputs: inputs, variables: variables, weights: weights, gradients: gradients)
    } catch let error as EngineError where error.code == .unsupported {
      #expect(error.message.hasSuffix("."))
      return nil
    }
  }

  /// Shifts hand-chosen values slightly. Afterwards, no value lies at a kink, and no two values are equal.
  private static func nudged(_ input: ReferenceTensor, seed: UInt64) -> ReferenceTensor {
    var generator = SplitMix64(seed: seed + 7)
    return ReferenceTensor(
      input.shape, input.values.map { $0 + generator.uniform(-0.01...0.01) })
  }

  private static func gradients(
    of layer: any Operator, _ inputs: [ReferenceTensor], _ variables: [Int],
    _ weights: [ReferenceTensor]
  ) throws -> [ReferenceTensor] {
    var graph = Graph()
    let values: [Graph.ValueID] = inputs.enumerated().map { number, input in
      variables.contains(number)
        ? graph.addInput("input \(number)", input.shape)
        : graph.addConstant(input, name: "input \(number)")
    }
    let outputs = try graph.apply(layer, to: values, outputs: weights.count, name: "layer")
    let parts: [Graph.ValueID] = try zip(outputs, weights).map { output, weight in
      let constant = graph.addConstant(weight, name: "weights")
      let product = try graph.apply(
        MultiplyOperator(inputCount: 2), to: [output, constant], name: "products")
      return try graph.apply(
        ReduceAxesOperator(.sum, axes: [], keepsAxes: false), to: [product], name: "sum")
    }
    let loss = try graph.apply(AddOperator(inputCount: parts.count), to: parts, name: "loss")
    let made = try graph.differentiate(loss, withRespectTo: variables.map { values[$0] })
    let known = try graph.referenceValues(of: inputs)
    for (variable, gradient) in zip(variables, made) {
      try #require(known[gradient.index]?.shape == inputs[variable].shape, "input \(variable)")
    }
    return try made.map { try #require(known[$0.index]) }
  }

  /// Returns the indices of the elements to check in a variable: all indices if there are at most eight, and otherwise
  /// eight random ones.
  func positions(_ number: Int) -> [Int] {
    let count: Int = inputs[variables[number]].shape.count
    guard count > 8 else { return Array(0..<count) }
    var generator = SplitMix64(seed: UInt64(count))
    return (0..<8).map { _ in Int.random(in: 0..<count, using: &generator) }
  }

  /// Returns the largest magnitude in the gradient with respect to a variable.
  func scale(_ number: Int) -> Double {
    gradients[number].values.reduce(0) { max($0, $1.isFinite ? abs($1) : 0) }
  }

  /// Returns the slope of the loss along one element of a variable, as a central difference. Nil if the result depends
  /// on the step size, which happens at a kink or at the boundary of the function's domain.
  func slope(_ number: Int, _ position: Int) throws -> Double? {
    let wide = try difference(number, position, 1e-5)
    let narrow = try difference(number, position, 0.25e-5)
    guard wide.isFinite, narrow.isFinite,
      abs(wide - narrow) <= 1e-5 * max(scale(number), abs(wide), 1e-2)
    else { return nil }
    return wide
  }

  private func difference(_ number: Int, _ position: Int, _ step: Double) throws -> Double {
    var (above, below) = (inputs, inputs)
    above[variables[number]].values[position] += step
    below[variables[number]].values[position] -= step
    let (high, low) = (try layer.reference(above), try layer.reference(below))
    var result = 0.0
    for (output, weight) in weights.enumerated() {
      for (index, factor) in weight.values.enumerated() {
        let (right, left) = (high[output].values[index], low[output].values[index])
        if right != left { result += factor * (right - left) }
      }
    }
    return result / (2 * step)
  }
}

extension Graph {
  /// Computes every value of the graph with the layers' reference implementations.
  func referenceValues(of given: [ReferenceTensor]) throws -> [ReferenceTensor?] {
    var known: [ReferenceTensor?] = try values.map { try $0.constant?.tensor() }
    let names = Dictionary(uniqueKeysWithValues: given.enumerated().map { ("input \($0)", $1) })
    for input in inputs { known[input.index] = names[self[input].name] }
    for node in nodes {
      let inputs: [ReferenceTensor] = try node.inputs.map { input in
        let value: ReferenceTensor = try #require(known[input.index])
        // Reference implementations expect floating-point values. But the graph may store indices as integers.
        return value.element.isInteger ? ReferenceTensor(value.shape, value.reals) : value
      }
      for (output, value) in zip(node.outputs, try node.operation.reference(inputs)) {
        known[output.index] = value
      }
    }
    return known
  }
}
