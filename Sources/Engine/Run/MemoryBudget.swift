import Glibc

/// The memory that a plan may take, and the refusal of plans that would not fit.
public struct MemoryBudget {
  /// The limit in bytes.
  let limit: Int

  /// The caller's limit, or what the machine has free now.
  init(_ options: ExecutionOptions) {
    limit = max(0, options.memoryLimit ?? MemoryBudget.available())
  }

  /// Throws `outOfMemory` with the size of picture that would fit.
  func check(_ plan: Plan, inputTypes: [TensorType]) throws {
    try check(plan.arenaByteCount, inputTypes: inputTypes)
  }

  /// Throws as for plans where one value alone is too large, before kernels make tables for it.
  func check(_ graph: Graph) throws {
    // Two bytes for each element is the least that a plan stores.
    let largest: Int = graph.values.lazy.compactMap { $0.type?.shape.count }.max() ?? 0
    let (bytes, overflows) = largest.multipliedReportingOverflow(by: 2)
    try check(
      overflows ? Int.max : bytes, inputTypes: graph.inputs.compactMap { graph[$0].type })
  }

  private func check(_ needed: Int, inputTypes: [TensorType]) throws {
    guard needed > limit else { return }
    var advice = "use a smaller input."
    if let picture = inputTypes.map(\.shape).filter({ $0.rank >= 3 }).max(by: {
      $0.count < $1.count
    }) {
      // Every large tensor grows with the picture's area; 0.95 leaves room for rounding.
      let factor = 0.95 * (Double(limit) / Double(needed)).squareRoot()
      let (width, height) = (picture[-1], picture[-2])
      advice =
        "a picture of \(Int(Double(width) * factor)) × \(Int(Double(height) * factor)) would fit."
    }
    throw EngineError(
      .outOfMemory,
      "This input needs \(Self.gigabytes(needed)) of memory and \(Self.gigabytes(limit)) is free; \(advice)"
    )
  }

  private static func gigabytes(_ bytes: Int) -> String {
    let tenths = Int((Double(bytes) / 1e8).rounded())
    return "\(tenths / 10).\(tenths % 10) GB"
  }

  /// What the system would give without swapping: `MemAvailable`, or less where a control group
  /// limits this process. 1 GB when neither can be read.
  public static func available() -> Int {
    var result = Int.max
    if let text = read("/proc/meminfo"),
      let line = text.split(separator: "\n").first(
        where: { $0.hasPrefix("MemAvailable:") }),
      let kilobytes = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    {
      result = kilobytes * 1024
    }
    if let limit = read("/sys/fs/cgroup/memory.max").flatMap({ Int($0.filter(\.isNumber)) }),
      let used = read("/sys/fs/cgroup/memory.current").flatMap({ Int($0.filter(\.isNumber)) })
    {
      result = min(result, limit - used)
    }
    return result == Int.max ? 1 << 30 : result
  }

  private static func read(_ path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 8192)
    let count = fread(&bytes, 1, bytes.count, file)
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }
}
