/// The memory that one prediction takes beside the mapped model file, in bytes.
public struct MemoryEstimate: Sendable, Hashable {
  /// The tensors between layers, and the scratch memory of kernels; once per prediction that runs.
  public var arena: Int
  /// Weights in the form that kernels want; once per network, however many predictions run.
  public var packedWeights: Int
  /// The copies of the outputs that the caller is given.
  public var outputs: Int

  /// An estimate of its parts.
  public init(arena: Int, packedWeights: Int, outputs: Int) {
    self.arena = arena
    self.packedWeights = packedWeights
    self.outputs = outputs
  }

  /// What a plan takes.
  init(_ plan: PlannedRun) {
    self.init(
      arena: [plan.arenaByteCount, plan.temporaryByteCount].saturatingSum,
      packedWeights: plan.constantByteCount,
      outputs: plan.outputs.map(\.location.form.byteCount).saturatingSum)
  }

  /// All of it; `Int.max` for more than can be counted.
  public var total: Int {
    [arena, packedWeights, outputs].reduce(0) { sum, part in
      let (next, overflow) = sum.addingReportingOverflow(part)
      return overflow ? Int.max : next
    }
  }

  /// The factor for the sides of a picture that would fit: nearly all large tensors grow with its area.
  ///
  /// - Parameters:
  ///   - needed: what the picture takes, in bytes.
  ///   - limit: what there is, in bytes.
  /// - Returns: at most 1; 0 where no picture would fit.
  public static func factor(toFit needed: Int, in limit: Int) -> Double {
    guard limit > 0, needed > 0 else { return 0 }
    // 0.95 leaves room for what is rounded up.
    return min(1, 0.95 * (Double(limit) / Double(needed)).squareRoot())
  }
}

extension Network {
  /// The memory that a prediction for inputs of these types would take. No session is made, and nothing is
  /// computed but what times kernels; the plan that is made for the answer serves later predictions where it
  /// fits the budget.
  ///
  /// - Returns: the estimate, also where it is more than the budget.
  /// - Throws: `EngineError` when the types do not fit the network, `outOfMemory` where one tensor alone
  ///   is larger than the budget, and `unsupported` for a network that runs piece by piece, whose memory
  ///   depends on values.
  public func memory(for inputTypes: [TensorType]) throws -> MemoryEstimate {
    guard let run = try plan(for: inputTypes, mustFit: false).plan.whole else {
      throw EngineError(
        .unsupported,
        "The memory of a network that runs layer by layer depends on the values in it; it is counted while it runs."
      )
    }
    return MemoryEstimate(run)
  }
}

extension Network {
  /// The budget, whose refusals name a size that was planned and fits.
  func budget(for inputTypes: [TensorType]) -> MemoryBudget {
    MemoryBudget(options, pictureThatFits: { self.picture(in: inputTypes, scaledBy: $0) })
  }

  /// A smaller picture in place of the inputs' largest that was planned and fits, from a first guess on:
  /// what grows with the area is most of the memory, and not all. Nil where the network takes none.
  private func picture(in inputTypes: [TensorType], scaledBy guess: Double) -> Shape? {
    let budget = MemoryBudget(options)
    var factor = guess
    for _ in 0..<Self.guesses {
      guard let (index, shape) = inputTypes.picture(scaledBy: factor) else { return nil }
      var types = inputTypes
      types[index] = TensorType(shape, types[index].element)
      guard let (graph, isStatic) = try? optimized(types), isStatic else { return nil }
      var rest: Double = budget.factor(toFit: graph)
      if rest == 1 {
        guard let plan = try? Planner.plan(graph, options: options, weights: weights) else {
          return nil
        }
        rest = budget.factor(toFit: plan)
        if rest == 1 { return shape }
      }
      factor *= rest
    }
    return nil
  }

  /// How many sizes are tried before a refusal names none.
  private static let guesses = 5
}

extension [TensorType] {
  /// The largest picture among the types with its sides scaled, and where it stands; nil where there is
  /// none, or nothing would be left of it.
  func picture(scaledBy factor: Double) -> (index: Int, shape: Shape)? {
    let pictures = indices.filter { self[$0].shape.rank >= 3 }
    guard let index = pictures.max(by: { self[$0].shape.count < self[$1].shape.count }) else {
      return nil
    }
    var extents: [Int] = self[index].shape.dimensions
    for axis in extents.count - 2..<extents.count {
      extents[axis] = Int(Double(extents[axis]) * factor)
      guard extents[axis] > 0 else { return nil }
    }
    return (index, Shape(extents))
  }
}
