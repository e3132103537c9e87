import Engine
import Operators

/// How parameters follow their gradients.
public typealias Optimizer = OptimizerStepOperator.Rule

/// Changes the parameters of a graph step by step so that a loss falls.
///
/// The forward pass, the gradients and the optimiser's step are one plan: made once, it runs without
/// allocating. Parameters and the optimiser's state are float32 whatever the plan computes in; the same
/// steps from the same state give the same bits on the same machine and number of threads, so kernels are chosen
/// in the fixed order whatever the options say.
///
/// Not for two threads at once.
public final class Trainer {
  /// What is trained, in the order of ``TrainerState/parameters``.
  public let parameters: [TrainingParameter]
  /// How parameters follow their gradients.
  public let optimizer: Optimizer
  /// The names of what ``step(_:learningRate:)`` returns: the loss, then what is reported beside it.
  public let reportNames: [String]
  /// Parameters, the optimiser's memory and the number of steps made; set it to go on from there.
  public var state: TrainerState

  private let planned: PlannedGraph
  private let inputCount: Int
  private let rates: [Float]

  /// A trainer.
  ///
  /// - Parameters:
  ///   - graph: inputs with their types; those of `parameters` behind all others.
  ///   - loss: a value of one number.
  ///   - reporting: values of one number that are returned beside the loss.
  ///   - parameters: what changes, as ``Engine/Graph/liftParameters(of:)`` gives them.
  ///   - optimizer: how it changes.
  ///   - rateFactors: a factor of the learning rate for every parameter; nil is 1 for all.
  ///   - options: precision, threads and memory.
  /// - Throws: `EngineError` naming a layer that has no gradient, or a plan that does not fit the memory.
  public init(
    _ graph: Graph, loss: Graph.ValueID, reporting: [Graph.ValueID] = [],
    parameters: [TrainingParameter], optimizer: Optimizer, rateFactors: [Float]? = nil,
    options: ExecutionOptions = ExecutionOptions()
  ) throws {
    precondition(rateFactors == nil || rateFactors?.count == parameters.count)
    self.parameters = parameters
    self.optimizer = optimizer
    rates = rateFactors ?? [Float](repeating: 1, count: parameters.count)
    inputCount = graph.inputs.count - parameters.count
    precondition(
      Array(graph.inputs.suffix(parameters.count)) == parameters.map(\.value),
      "parameters are the last inputs")
    reportNames = ([loss] + reporting).map { graph[$0].name }
    var whole = graph
    let gradients = try whole.differentiate(loss, withRespectTo: parameters.map(\.value))
    whole.outputs = [loss] + reporting
    for (parameter, gradient) in zip(parameters, gradients) {
      try whole.addStep(of: optimizer, parameter, gradient)
    }
    // A training that goes on from a checkpoint must not find other kernels than it began with.
    var fixed: ExecutionOptions = options
    fixed.tuning = .fixed
    planned = try PlannedGraph(whole, options: fixed)
    state = TrainerState(parameters, stateCount: optimizer.stateCount)
  }

  /// The memory that a step works in, in bytes.
  public var arenaByteCount: Int { planned.arenaByteCount }
  /// How the machine computes a step, for listings.
  public var plan: Plan { planned.plan }

  /// Makes one step.
  ///
  /// - Parameters:
  ///   - inputs: row-major values of the graph's inputs, parameters aside.
  ///   - learningRate: the optimiser's η before any factors.
  /// - Returns: the loss before the step, and what is reported beside it.
  public func step(_ inputs: [[Float]], learningRate: Float) throws -> [Float] {
    try load(inputs, learningRate: learningRate)
    try planned.run()
    return try store()
  }

  private func load(_ inputs: [[Float]], learningRate: Float) throws {
    precondition(inputs.count == inputCount, "\(inputs.count) inputs, expected \(inputCount)")
    for (index, values) in inputs.enumerated() {
      values.withUnsafeBufferPointer { planned.write(index, $0) }
    }
    var next: Int = inputCount + parameters.count
    for index in parameters.indices {
      state.parameters[index].withUnsafeBufferPointer { planned.write(inputCount + index, $0) }
      for moment in 0..<optimizer.stateCount {
        state.moments[index][moment].withUnsafeBufferPointer { planned.write(next, $0) }
        next += 1
      }
      let schedule: [Float] = optimizer.schedule(
        learningRate * rates[index], step: state.stepCount + 1)
      schedule.withUnsafeBufferPointer { planned.write(next, $0) }
      next += 1
    }
  }

  private func store() throws -> [Float] {
    let report: [Float] = try reportNames.indices.map { try planned.read($0)[0] }
    var next: Int = reportNames.count
    for index in parameters.indices {
      try state.parameters[index].withUnsafeMutableBufferPointer {
        try planned.read(next, into: $0)
      }
      next += 1
      for moment in 0..<optimizer.stateCount {
        try state.moments[index][moment].withUnsafeMutableBufferPointer {
          try planned.read(next, into: $0)
        }
        next += 1
      }
    }
    state.stepCount += 1
    return report
  }
}

extension OptimizerStepOperator.Rule {
  /// What the step's layer is told: the rate, with Adam's corrections for the step's number from 1.
  fileprivate func schedule(_ rate: Float, step: Int) -> [Float] {
    switch self {
    case .sgd: return [rate, 0]
    case .adam(let beta1, let beta2, _):
      return [
        Float(Double(rate) / (1 - power(Double(beta1), step))),
        Float(1 / (1 - power(Double(beta2), step))),
      ]
    }
  }

  private func power(_ base: Double, _ exponent: Int) -> Double {
    var (result, square, left) = (1.0, base, exponent)
    while left > 0 {
      if left & 1 == 1 { result *= square }
      square *= square
      left >>= 1
    }
    return result
  }
}

extension Graph {
  /// Adds the optimiser's step for one parameter: inputs for its state, outputs for what becomes of it.
  fileprivate mutating func addStep(
    of optimizer: Optimizer, _ parameter: TrainingParameter, _ gradient: ValueID
  ) throws {
    let name: String = "\(parameter.layer) \(parameter.role.rawValue)"
    let state: [ValueID] = (0..<optimizer.stateCount).map {
      addInput("\(name) moment \($0)", parameter.shape)
    }
    let schedule: ValueID = addInput("\(name) schedule", [2])
    outputs += try apply(
      OptimizerStepOperator(rule: optimizer), to: [parameter.value, gradient] + state + [schedule],
      outputs: 1 + optimizer.stateCount, name: "\(name) step")
  }
}
