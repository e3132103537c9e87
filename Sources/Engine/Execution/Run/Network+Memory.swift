/// The memory of one prediction in bytes, without the mapped model file.
public struct MemoryEstimate: Sendable, Hashable {
  /// The tensors between layers and the kernels' scratch memory, once per running prediction.
  public var arena: Int
  /// The weights in the kernels' packed formats, once per network, for any number of predictions.
  public var packedWeights: Int
  /// The copies of the outputs for the caller.
  public var outputs: Int

  /// Creates an estimate with these parts.
  public init(arena: Int, packedWeights: Int, outputs: Int) {
    self.arena = arena
    self.packedWeights = packedWeights
    self.outputs = outputs
  }

  /// Creates the estimate of a plan.
  init(_ plan: PlannedRun) {
    self.init(
      arena: [plan.arenaByteCount, plan.temporaryByteCount].saturatingSum,
      packedWeights: plan.constantByteCount,
      outputs: plan.outputs.map(\.location.form.byteCount).saturatingSum)
  }

  /// The sum of all parts. The sum saturates at `Int.max`.
  public var total: Int {
    [arena, packedWeights, outputs].reduce(0) { sum, part in
      let (next, overflow) = sum.addingReportingOverflow(part)
      return overflow ? Int.max : next
    }
  }

  /// Returns the factor by which the sides of an image must be scaled so that the image fits into memory. It assumes
  /// that memory is proportional to the image's area, as the size of nearly all large tensors is.
  ///
  /// - Parameters:
  ///   - needed: The memory that the image needs, in bytes.
  ///   - limit: The memory that is available, in bytes.
  /// - Returns: A factor of at most 1. The factor is 0 if no image fits.
  public static func factor(toFit needed: Int, in limit: Int) -> Double {
    guard limit > 0, needed > 0 else { return 0 }
    // The factor is reduced by 5 %, because sizes are rounded up.
    return min(1, 0.95 * (Double(limit) / Double(needed)).squareRoot())
  }
}

extension Network {
  /// Returns the memory that a prediction for inputs of these types would take. Makes no session, and computes
  /// nothing except to time kernels. If the plan fits the budget, it is cached for later predictions.
  ///
  /// - Returns: The estimate, even if it exceeds the budget.
  /// - Throws: `EngineError` if the types do not fit the network, `outOfMemory` if a single tensor exceeds the budget,
  ///   and `unsupported` if the network has several segments, because the memory of such a network depends on values.
  public func memory(for inputTypes: [TensorType]) throws -> MemoryEstimate {
    guard let run = try plan(for: inputTypes, mustFit: false).plan.whole else {
      throw EngineError(
        .unsupported,
        "The memory of a network with several segments depends on its values; it is counted while the network runs."
      )
    }
    return MemoryEstimate(run)
  }
}

extension Network {
  /// Returns the budget. Its errors name an image size that was planned and fits.
  func budget(for inputTypes: [TensorType]) -> MemoryBudget {
    MemoryBudget(options, pictureThatFits: { self.picture(in: inputTypes, scaledBy: $0) })
  }

  /// Returns a smaller shape for the largest input image, such that the network's plan fits into memory. Plans the
  /// network for each shape that it tries. Starts from the guess and tries several shapes, because not all memory is
  /// proportional to the area. Nil if none of them fits.
  private func picture(in inputTypes: [TensorType], scaledBy guess: Double) -> Shape? {
    let budget = MemoryBudget(options)
    var factor = guess
    for _ in 0..<Self.mostTrials {
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

  /// The maximum number of image sizes that are tried. If none of them fits, the error names no size.
  private static let mostTrials = 5
}

extension [TensorType] {
  /// Returns the largest image among the types, with its sides scaled, and its index. Nil if there is no image or a
  /// side would become empty.
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
