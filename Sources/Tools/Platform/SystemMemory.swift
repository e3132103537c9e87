import Glibc

/// What the system says of memory: the machine, and the control groups that limit this process.
///
/// The page cache does not count as used: the system gives it up when somebody needs memory.
public struct SystemMemory {
  /// What needs at most this is not asked for: it costs less than the question. In bytes.
  public static let smallByteCount: Int = 64 << 20

  /// Whether so many bytes may be taken now.
  public static func has(_ byteCount: Int) -> Bool {
    byteCount <= smallByteCount || byteCount <= SystemMemory().available
  }

  /// Where the system's files are, for tests; empty for the machine's own.
  private let root: String

  /// The machine's own files, or those in another folder.
  public init(root: String = "") { self.root = root }

  /// The bytes that this process may still take without swapping; 1 GB when nothing can be read.
  public var available: Int {
    let found: [Int] = [machine].compactMap { $0 } + groups
    return max(0, found.min() ?? 1 << 30)
  }

  /// `MemAvailable` of the machine.
  private var machine: Int? {
    guard let text = read("/proc/meminfo"),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("MemAvailable:") }),
      let kilobytes = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { return nil }
    return kilobytes * 1024
  }

  /// What is left in each control group that this process is in, whichever version; those around a
  /// group limit it too.
  private var groups: [Int] {
    guard let text = read("/proc/self/cgroup") else { return [] }
    var result: [Int] = []
    for line in text.split(separator: "\n") {
      // number:controllers:path; version 2 has the number 0 and no controllers.
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      let path = String(parts[2])
      if parts[0] == "0", parts[1].isEmpty {
        result += left(in: "/sys/fs/cgroup", path, Names.version2)
      } else if parts[1].split(separator: ",").contains("memory") {
        result += left(in: "/sys/fs/cgroup/memory", path, Names.version1)
      }
    }
    return result
  }

  /// The files of a version.
  private struct Names {
    var limit: String
    var used: String
    /// The lines of `memory.stat` that the system gives up when asked.
    var cache: [String]

    static let version2 = Names(
      limit: "memory.max", used: "memory.current", cache: ["inactive_file", "active_file"])
    static let version1 = Names(
      limit: "memory.limit_in_bytes", used: "memory.usage_in_bytes",
      cache: ["total_inactive_file", "total_active_file"])
  }

  /// What is left in a group and in each around it. In a container the path may be the host's, and only
  /// the mount's root is there; it is then the container's own group.
  private func left(in mount: String, _ path: String, _ names: Names) -> [Int] {
    var folders: [String] = []
    var folder = mount
    for part in path.split(separator: "/") where part != ".." {
      folder += "/" + part
      folders.append(folder)
    }
    return ([mount] + folders).compactMap { left(in: $0, names) }
  }

  private func left(in folder: String, _ names: Names) -> Int? {
    // Without a limit version 2 says `max`, version 1 a number near 2⁶³.
    guard let limit = number(folder + "/" + names.limit), limit < 1 << 60,
      let used = number(folder + "/" + names.used)
    else { return nil }
    let cache: Int = (read(folder + "/memory.stat") ?? "").split(separator: "\n").reduce(0) {
      let words = $1.split(separator: " ")
      guard words.count == 2, names.cache.contains(String(words[0])) else { return $0 }
      return $0 + (Int(words[1]) ?? 0)
    }
    return limit - max(0, used - cache)
  }

  private func number(_ path: String) -> Int? {
    read(path).flatMap { Int($0.filter { !$0.isWhitespace }) }
  }

  private func read(_ path: String) -> String? {
    guard let file = fopen(root + path, "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 16_384)
    let count = fread(&bytes, 1, bytes.count, file)
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }
}
