import Engine
import Operators

/// The rule by which an optimiser updates parameters from their gradients.
public typealias Optimizer = OptimizerStepOperator.Rule

/// Updates the parameters of a graph step by step, to minimise a loss.
///
/// One plan computes the forward pass, the gradients and the optimiser's update. After planning, a step allocates no
/// memory. Parameters and the optimiser's state are float32, whatever the precision of the plan. The same steps from
/// the same state give the same bits on the same machine and with the same number of threads. To guarantee this, the
/// trainer ignores the option `tuning` and always chooses kernels in a fixed order of preference
/// (`KernelTuning.fixed`), not by measured times.
///
/// A trainer must not be used from two threads at the same time.
public final class Trainer {
  /// The parameters that the trainer updates, in the order of ``TrainerState/parameters``.
  public let parameters: [TrainingParameter]
  /// The update rule of the parameters.
  public let optimizer: Optimizer
  /// The names of the values that ``step(_:learningRate:)`` returns: the loss, then the initialiser's argument
  /// `reporting`.
  public let reportNames: [String]
  /// The parameters, the optimiser's moments and the number of steps so far. Set this property to resume training.
  public var state: TrainerState

  private let planned: PlannedGraph
  private let inputCount: Int
  private let rates: [Float]

  /// Creates a trainer and plans a step.
  ///
  /// - Parameters:
  ///   - graph: A graph whose inputs have types. Its last inputs are the values of `parameters`.
  ///   - loss: The value to minimise, which has one element.
  ///   - reporting: Further values to report, each with one element.
  ///   - parameters: The parameters to train, from ``Engine/Graph/liftParameters(of:)``.
  ///   - optimizer: The update rule of the parameters.
  ///   - rateFactors: One factor per parameter, by which the learning rate is multiplied; nil means 1 for all
  ///     parameters.
  ///   - options: The precision, the number of threads and the memory limit of the plan.
  /// - Throws: an `EngineError` that names a layer without a gradient, or that states that the plan does not fit into
  ///   memory.
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
    // Training that resumes from a checkpoint must use the same kernels as the training that wrote it.
    var fixed: ExecutionOptions = options
    fixed.tuning = .fixed
    planned = try PlannedGraph(whole, options: fixed)
    state = TrainerState(parameters, stateCount: optimizer.stateCount)
  }

  /// The working memory of the plan of a step, in bytes.
  public var arenaByteCount: Int { planned.arenaByteCount }
  /// The plan by which this machine computes a step, for listings.
  public var plan: Plan { planned.plan }

  /// Makes one step.
  ///
  /// - Parameters:
  ///   - inputs: The values of the graph's inputs without the parameters, each in row-major order.
  ///   - learningRate: The learning rate. For each parameter it is multiplied by the parameter's entry in
  ///     `rateFactors`.
  /// - Returns: The loss before the step, then the values of `reporting`.
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
  /// Returns the schedule, the last input of ``OptimizerStepOperator``. For Adam it includes the bias corrections of
  /// step number `step`; the first step is 1.
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
  /// Adds the optimiser's update of one parameter. Adds inputs for the optimiser's state and for the schedule, and
  /// outputs for the new parameter and the new state.
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
