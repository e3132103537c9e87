import Foundation
import Platform
import Testing

/// Tests reading the available memory from the system's files. Each test writes its own files.
@Suite("Available system memory")
struct SystemMemoryTests {
  private static let gigabyte = 1 << 30

  /// Returns the available memory according to these files, in bytes. `/proc/meminfo` states 16 GB for the machine.
  private static func available(_ files: [String: String]) throws -> Int {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: root) }
    var files = files
    files["proc/meminfo"] = "MemTotal: 20000000 kB\nMemAvailable: 16777216 kB\n"
    for (path, text) in files {
      let url = root.appendingPathComponent(path)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    }
    return SystemMemory(root: root.path).available
  }

  @Test("Without control groups the available memory is the machine's")
  func machine() throws { #expect(try Self.available([:]) == 16 * Self.gigabyte) }

  @Test("A version 2 group limits the memory, and its page cache does not count as used")
  func version2() throws {
    let files = [
      "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "\(2 * Self.gigabyte)\n",
      "sys/fs/cgroup/memory.current": "\(Self.gigabyte * 3 / 2)\n",
      "sys/fs/cgroup/memory.stat":
        "anon 1\nfile 1073741824\ninactive_file \(Self.gigabyte / 2)\nactive_file \(Self.gigabyte / 4)\n",
    ]
    #expect(try Self.available(files) == Self.gigabyte * 5 / 4)
  }

  @Test("An enclosing group also limits the memory")
  func nested() throws {
    let files = [
      "proc/self/cgroup": "0::/user/job\n", "sys/fs/cgroup/user/job/memory.max": "max\n",
      "sys/fs/cgroup/user/job/memory.current": "5\n",
      "sys/fs/cgroup/user/memory.max": "\(Self.gigabyte)\n",
      "sys/fs/cgroup/user/memory.current": "\(Self.gigabyte / 4)\n",
    ]
    #expect(try Self.available(files) == Self.gigabyte * 3 / 4)
  }

  @Test("A version 1 group limits the memory, but a limit close to 2⁶³ means no limit")
  func version1() throws {
    let folder = "sys/fs/cgroup/memory/docker/abc"
    var files = [
      "proc/self/cgroup": "5:cpu,cpuacct:/docker/abc\n4:memory:/docker/abc\n",
      "\(folder)/memory.limit_in_bytes": "\(Self.gigabyte)\n",
      "\(folder)/memory.usage_in_bytes": "\(Self.gigabyte)\n",
      "\(folder)/memory.stat": "cache 9\ntotal_inactive_file 1000\ntotal_active_file 24\n",
    ]
    #expect(try Self.available(files) == 1024)
    files["\(folder)/memory.limit_in_bytes"] = "9223372036854771712\n"
    #expect(try Self.available(files) == 16 * Self.gigabyte)
  }

  @Test("In a container that knows its group by the host's path, the mount's root is the group")
  func hostPath() throws {
    let files = [
      "proc/self/cgroup": "4:memory:/docker/abc\n",
      "sys/fs/cgroup/memory/memory.limit_in_bytes": "\(Self.gigabyte)\n",
      "sys/fs/cgroup/memory/memory.usage_in_bytes": "24\n",
    ]
    #expect(try Self.available(files) == Self.gigabyte - 24)
  }
}
