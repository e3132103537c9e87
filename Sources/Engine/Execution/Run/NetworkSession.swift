/// A tensor at the border of a network while it runs: where a caller writes inputs and reads outputs.
public struct BorderTensor {
  /// The name in the model.
  public let name: String
  /// Shape, stored type and layout.
  public let form: TensorDescriptor
  /// The memory; valid as long as the session.
  public let memory: UnsafeMutableRawPointer
  /// For pictures: what happens to the samples on the way in or out.
  public let image: Graph.ImagePort?
}

/// One running prediction of any network, planned ahead or not. Not for two threads at once.
public enum NetworkSession {
  /// Everything was planned ahead.
  case planned(Session)
  /// Shapes depend on data, or the network decides what runs.
  case dynamic(DynamicSession)

  /// An input to be written, in the graph's order.
  public func input(_ index: Int) -> BorderTensor {
    switch self {
    case .planned(let session): return session.tensor(session.plan.inputs[index])
    case .dynamic(let session): return session.input(index)
    }
  }

  /// Computes the outputs.
  ///
  /// - Throws: what a layer throws; `cancelled` or `timedOut` when the limits end the run.
  public func run(_ limits: RunLimits = .none) throws {
    switch self {
    case .planned(let session): try session.run(limits)
    case .dynamic(let session): try session.run(limits)
    }
  }

  /// An output to be read after ``run()``, in the graph's order. Throws when no layer has made it.
  public func output(_ index: Int) throws -> BorderTensor {
    switch self {
    case .planned(let session): return session.tensor(session.plan.outputs[index])
    case .dynamic(let session): return try session.output(index)
    }
  }
}

extension Session {
  fileprivate func tensor(_ port: Plan.Port) -> BorderTensor {
    BorderTensor(
      name: port.name, form: port.location.form, memory: pointer(port.location), image: port.image)
  }
}

/// One running prediction of a network whose shapes depend on data, or which decides what runs.
public final class DynamicSession {
  private let plan: DynamicPlan
  private let account: MemoryAccount
  private let inputs: [DynamicTensor]
  private var outputs: [DynamicTensor?] = []

  init(_ plan: DynamicPlan, inputTypes: [TensorType]) throws {
    self.plan = plan
    let account = MemoryAccount(limit: plan.memoryLimit)
    self.account = account
    inputs = try inputTypes.map { try DynamicTensor($0.shape, account) }
  }

  func input(_ index: Int) -> BorderTensor {
    tensor(inputs[index], plan.graph.inputs[index], plan.graph.imageInputs)
  }

  func run(_ limits: RunLimits) throws {
    let values = try plan.run(inputs, DynamicRun(limits: limits, account: account)).values
    outputs = try plan.graph.outputs.map { value in
      try values[value.index] ?? plan.graph[value].constant.map { try DynamicTensor($0.tensor(), account) }
    }
  }

  func output(_ index: Int) throws -> BorderTensor {
    let value = plan.graph.outputs[index]
    guard outputs.indices.contains(index), let made = outputs[index] else {
      throw EngineError(
        .invalidModel,
        "The output '\(plan.graph[value].name)' was made by no layer on the way that was taken through the network's branches and loops."
      )
    }
    return tensor(made, value, plan.graph.imageOutputs)
  }

  private func tensor(
    _ tensor: DynamicTensor, _ value: Graph.ValueID, _ images: [Graph.ValueID: Graph.ImagePort]
  ) -> BorderTensor {
    BorderTensor(
      name: plan.graph[value].name, form: tensor.form, memory: tensor.memory.pointer,
      image: images[value])
  }
}
