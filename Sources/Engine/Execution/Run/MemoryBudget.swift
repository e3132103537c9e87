import Platform

/// The memory that a plan may take, and the refusal of plans that would not fit.
public struct MemoryBudget {
  /// The limit in bytes.
  let limit: Int
  /// Whether weights that are packed already count: against a caller's limit they do; what the machine
  /// has free is what is left after them. Those that are still to be packed always count.
  private let countsConstants: Bool
  /// The size of picture that would fit, by the factor for its sides that the refused size suggests; nil
  /// where none is known. Without it the factor is believed.
  private let pictureThatFits: ((Double) -> Shape?)?

  /// The caller's limit, or what the machine has free now.
  init(_ options: ExecutionOptions, pictureThatFits: ((Double) -> Shape?)? = nil) {
    self.pictureThatFits = pictureThatFits
    limit = max(0, options.memoryLimit ?? MemoryBudget.spare(MemoryBudget.available()))
    countsConstants = options.memoryLimit != nil
  }

  /// Throws `outOfMemory` with the size of picture that would fit.
  func check(_ plan: PlannedRun, inputTypes: [TensorType]) throws {
    try check(plan.runByteCount, beside: fixedByteCount(of: plan), inputTypes)
  }

  /// What a plan's weights take of the limit, in bytes.
  private func fixedByteCount(of plan: PlannedRun) -> Int {
    countsConstants ? plan.constantByteCount : plan.missingByteCount
  }

  /// The factor for the sides of a picture by which its plan would fit; 1 where it does.
  func factor(toFit plan: PlannedRun) -> Double {
    let fixed: Int = fixedByteCount(of: plan)
    if MemoryBudget.sum(fixed, plan.runByteCount) <= limit { return 1 }
    return MemoryEstimate.factor(toFit: plan.runByteCount, in: limit - fixed)
  }

  /// Throws as for plans where one value alone is too large, before kernels make tables for it.
  func check(_ graph: Graph) throws {
    try check(leastByteCount(of: graph), beside: 0, graph.inputs.compactMap { graph[$0].type })
  }

  /// The factor for the sides of a picture by which no value alone would be too large; 1 where none is.
  func factor(toFit graph: Graph) -> Double {
    let least: Int = leastByteCount(of: graph)
    return least <= limit ? 1 : MemoryEstimate.factor(toFit: least, in: limit)
  }

  /// The bytes of the largest value: two for each element is the least that a plan stores.
  private func leastByteCount(of graph: Graph) -> Int {
    let largest: Int = graph.values.lazy.compactMap { $0.type?.shape.count }.max() ?? 0
    let (bytes, overflows) = largest.multipliedReportingOverflow(by: 2)
    return overflows ? Int.max : bytes
  }

  private func check(_ run: Int, beside fixed: Int, _ inputTypes: [TensorType]) throws {
    let needed: Int = MemoryBudget.sum(fixed, run)
    guard needed > limit else { return }
    throw EngineError(
      .outOfMemory,
      "This input needs \(Self.gigabytes(needed)) of memory and \(Self.gigabytes(limit)) is free; \(advice(run, limit - fixed, inputTypes))"
    )
  }

  /// Throws `outOfMemory` when inputs alone would not fit, before anybody fills or enlarges them.
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

  /// A sum that saturates.
  private static func sum(_ a: Int, _ b: Int) -> Int {
    let (sum, overflow) = a.addingReportingOverflow(b)
    return overflow ? Int.max : sum
  }

  private static func gigabytes(_ bytes: Int) -> String {
    let tenths = Int((Double(bytes) / 1e8).rounded())
    return "\(tenths / 10).\(tenths % 10) GB"
  }

  /// What of the free memory a plan may take: a tenth stays for what no plan counts, the pictures on both sides
  /// with their files' readers and writers, and libraries' caches. Measured at 7 % for a style network; a
  /// control group ends a process that takes more than is left.
  private static func spare(_ free: Int) -> Int { free - free / 10 }

  /// What the system would give without swapping: `MemAvailable`, or less where a control group
  /// limits this process. 1 GB when neither can be read.
  public static func available() -> Int { SystemMemory().available }
}
