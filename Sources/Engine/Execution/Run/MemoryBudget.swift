import Platform

/// A limit on the memory that a plan may take. Its functions throw an error for plans that do not fit.
public struct MemoryBudget {
  /// The limit in bytes.
  let limit: Int
  /// Whether weights that are already packed count against the limit. They count if a caller set the limit. They do not
  /// count if the limit is the machine's free memory, which excludes them already. Weights that are still to be packed
  /// always count.
  private let countsConstants: Bool
  /// Finds an image size that fits. Gets an estimate of the factor by which the image's sides must be scaled. Returns
  /// nil if no size is known. If this closure is nil, error messages name the size that the estimate gives.
  private let pictureThatFits: ((Double) -> Shape?)?

  /// Creates a budget of the caller's limit, or of the memory that the machine has free now.
  init(_ options: ExecutionOptions, pictureThatFits: ((Double) -> Shape?)? = nil) {
    self.pictureThatFits = pictureThatFits
    limit = max(0, options.memoryLimit ?? MemoryBudget.spare(MemoryBudget.available()))
    countsConstants = options.memoryLimit != nil
  }

  /// Throws `outOfMemory` if the plan does not fit. The error names the image size that would fit.
  func check(_ plan: PlannedRun, inputTypes: [TensorType]) throws {
    try check(plan.runByteCount, besides: fixedByteCount(of: plan), inputTypes)
  }

  /// Returns the part of the limit that a plan's weights take, in bytes.
  private func fixedByteCount(of plan: PlannedRun) -> Int {
    countsConstants ? plan.constantByteCount : plan.missingByteCount
  }

  /// Returns the factor by which the sides of an image must be scaled so that the image's plan fits. Returns 1 if the
  /// plan fits already.
  func factor(toFit plan: PlannedRun) -> Double {
    let fixed: Int = fixedByteCount(of: plan)
    if MemoryBudget.sum(fixed, plan.runByteCount) <= limit { return 1 }
    return MemoryEstimate.factor(toFit: plan.runByteCount, in: limit - fixed)
  }

  /// Throws `outOfMemory` if a single value of the graph is too large, before kernels make tables for that value.
  func check(_ graph: Graph) throws {
    try check(leastByteCount(of: graph), besides: 0, graph.inputs.compactMap { graph[$0].type })
  }

  /// Returns the factor by which the sides of an image must be scaled so that every single value fits. Returns 1 if all
  /// values fit already.
  func factor(toFit graph: Graph) -> Double {
    let least: Int = leastByteCount(of: graph)
    return least <= limit ? 1 : MemoryEstimate.factor(toFit: least, in: limit)
  }

  /// Returns the size of the largest value in bytes. A plan stores at least two bytes per element.
  private func leastByteCount(of graph: Graph) -> Int {
    let largest: Int = graph.values.lazy.compactMap { $0.type?.shape.count }.max() ?? 0
    let (bytes, overflows) = largest.multipliedReportingOverflow(by: 2)
    return overflows ? Int.max : bytes
  }

  private func check(_ run: Int, besides fixed: Int, _ inputTypes: [TensorType]) throws {
    let needed: Int = MemoryBudget.sum(fixed, run)
    guard needed > limit else { return }
    throw EngineError(
      .outOfMemory,
      "This input needs \(Self.gigabytes(needed)) of memory and \(Self.gigabytes(limit)) is free; \(advice(run, limit - fixed, inputTypes))"
    )
  }

  /// Throws `outOfMemory` if the inputs alone do not fit, before anything allocates or enlarges them.
  func check(inputs: [TensorType]) throws {
    let needed: Int = inputs.reduce(0) {
      MemoryBudget.sum($0, TensorDescriptor($1.shape).byteCount)
    }
    guard needed > limit else { return }
    throw EngineError(
      .outOfMemory,
      "This input alone takes \(Self.gigabytes(needed)) of memory and \(Self.gigabytes(limit)) is free; \(advice(needed, limit, inputs))"
    )
  }

  private func advice(_ needed: Int, _ limit: Int, _ inputTypes: [TensorType]) -> String {
    let factor = MemoryEstimate.factor(toFit: needed, in: limit)
    let picture: Shape? =
      pictureThatFits.map { $0(factor) } ?? inputTypes.picture(scaledBy: factor)?.shape
    guard let picture else { return "use a smaller input or raise the limit." }
    return "a picture of \(picture[-1]) × \(picture[-2]) would fit."
  }

  /// Returns the sum, or `Int.max` if it overflows.
  private static func sum(_ a: Int, _ b: Int) -> Int {
    let (sum, overflow) = a.addingReportingOverflow(b)
    return overflow ? Int.max : sum
  }

  private static func gigabytes(_ bytes: Int) -> String {
    let tenths = Int((Double(bytes) / 1e8).rounded())
    return "\(tenths / 10).\(tenths % 10) GB"
  }

  /// Returns the part of free memory that a plan may take. A tenth is reserved for memory that no plan counts: the
  /// input and output images, their decoders and encoders, and the libraries' caches (7 % for a style network,
  /// measured). Linux kills a process that takes more than its control group's limit.
  private static func spare(_ free: Int) -> Int { free - free / 10 }

  /// Returns the memory that the system can give without swapping: `MemAvailable`, or less if a control group limits
  /// this process. Returns 1 GB if neither can be read.
  public static func available() -> Int { SystemMemory().available }
}
