import Glibc

/// The free memory of the machine, and of the control groups that limit this process.
///
/// The page cache counts as free, because the system drops it when memory is needed.
public struct SystemMemory {
  /// For at most this many bytes, ``has(_:)`` returns true without a check, because a check would take longer than the
  /// allocation.
  public static let smallByteCount: Int = 64 << 20

  /// Returns whether `byteCount` bytes are free, or are so few that they need no check.
  public static func has(_ byteCount: Int) -> Bool {
    byteCount <= smallByteCount || byteCount <= SystemMemory().available
  }

  /// The folder that contains `proc` and `sys`. Empty for the file system's root. Tests set another folder.
  private let root: String

  /// Reads the files in `/proc` and `/sys`, or the same files below another root.
  public init(root: String = "") { self.root = root }

  /// The bytes that this process may still allocate without swapping. It is 1 GB if no file can be read.
  public var available: Int {
    let found: [Int] = [machine].compactMap { $0 } + groups
    return max(0, found.min() ?? 1 << 30)
  }

  /// The free memory of the machine in bytes (`MemAvailable`). Nil if it cannot be read.
  private var machine: Int? {
    guard let text = read("/proc/meminfo"),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("MemAvailable:") }),
      let kilobytes = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { return nil }
    return kilobytes * 1024
  }

  /// The free bytes of each control group of this process (version 1 or 2) and of the group's parents, which also limit
  /// the process.
  private var groups: [Int] {
    guard let text = read("/proc/self/cgroup") else { return [] }
    var result: [Int] = []
    for line in text.split(separator: "\n") {
      // Each line is number:controllers:path. Version 2 has the number 0 and no controllers.
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

  /// The names of the files and keys in one version of control groups.
  private struct Names {
    var limit: String
    var used: String
    /// The keys of the page cache in `memory.stat`. The system can drop the page cache.
    var cache: [String]

    static let version2 = Names(
      limit: "memory.max", used: "memory.current", cache: ["inactive_file", "active_file"])
    static let version1 = Names(
      limit: "memory.limit_in_bytes", used: "memory.usage_in_bytes",
      cache: ["total_inactive_file", "total_active_file"])
  }

  /// Returns the free bytes of a group and of its parents. In a container, `path` may be the host's path. Then only the
  /// root of the mount exists, and this root is the group of the container.
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
    // If a group has no limit, the file contains `max` in version 2, and a number near 2⁶³ in version 1.
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
