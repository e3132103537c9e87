import Foundation

/// Reads a fact about the system by its name on Apple's systems.
///
/// Known are `hw.memsize`, `hw.ncpu`, `hw.logicalcpu`, `hw.activecpu`, `hw.physicalcpu`, `hw.pagesize`, `hw.machine`,
/// `hw.model`, `machdep.cpu.brand_string`, `kern.ostype`, `kern.osrelease` and `kern.hostname`.
///
/// - Parameters:
///   - old: The memory for the fact: a number of 64 bits for `hw.memsize` and `hw.pagesize`, of 32 bits for the counts of
///     processors, otherwise a text that ends with 0. Nil to ask for the size only.
///   - oldLength: The size of the memory in bytes. The call stores the size of the fact.
///   - new: Has to be nil, because facts cannot be changed.
/// - Returns: 0, or −1 with `errno`: `ENOENT` for other names, `ENOMEM` if the memory is too small, `EPERM` if `new` is
///   not nil.
public func sysctlbyname(
  _ name: UnsafePointer<CChar>, _ old: UnsafeMutableRawPointer?,
  _ oldLength: UnsafeMutablePointer<Int>?, _ new: UnsafeMutableRawPointer?, _ newLength: Int
) -> Int32 {
  func fails(_ code: Int32) -> Int32 {
    errno = code
    return -1
  }
  guard new == nil else { return fails(EPERM) }
  guard let bytes = SystemFact.bytes(String(cString: name)) else { return fails(ENOENT) }
  guard let oldLength else { return 0 }
  let capacity: Int = oldLength.pointee
  oldLength.pointee = bytes.count
  guard let old else { return 0 }
  guard capacity >= bytes.count else { return fails(ENOMEM) }
  // Safe: the caller states that the memory has at least this many bytes.
  bytes.withUnsafeBytes { source in
    if let start = source.baseAddress { old.copyMemory(from: start, byteCount: source.count) }
  }
  return 0
}

private enum SystemFact {
  static func bytes(_ name: String) -> [UInt8]? {
    let process = ProcessInfo.processInfo
    switch name {
    case "hw.memsize": return number(process.physicalMemory)
    case "hw.pagesize": return number(UInt64(sysconf(Int32(_SC_PAGESIZE))))
    case "hw.ncpu", "hw.logicalcpu": return number(Int32(process.processorCount))
    case "hw.activecpu": return number(Int32(process.activeProcessorCount))
    case "hw.physicalcpu": return number(physicalCores ?? Int32(process.processorCount))
    case "hw.machine": return text(machine(\.machine))
    case "hw.model": return text(line("/sys/class/dmi/id/product_name") ?? machine(\.machine))
    case "machdep.cpu.brand_string":
      return text(processors["model name"]?.first ?? machine(\.machine))
    case "kern.ostype": return text(machine(\.sysname))
    case "kern.osrelease": return text(machine(\.release))
    case "kern.hostname": return text(process.hostName)
    default: return nil
    }
  }

  private static func number<Number: FixedWidthInteger>(_ value: Number) -> [UInt8] {
    withUnsafeBytes(of: value) { [UInt8]($0) }
  }

  private static func text(_ value: String) -> [UInt8] { [UInt8](value.utf8) + [0] }

  private static func line(_ path: String) -> String? {
    (try? String(contentsOfFile: path, encoding: .utf8))?
      .split(separator: "\n").first.map(String.init)
  }

  /// A text of `uname`.
  private static func machine<Text>(_ field: KeyPath<utsname, Text>) -> String {
    var name = utsname()
    guard uname(&name) == 0 else { return "" }
    return withUnsafeBytes(of: name[keyPath: field]) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  /// The values of `/proc/cpuinfo` by their names, one for each processor.
  private static var processors: [String: [String]] {
    let all: String = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    var values: [String: [String]] = [:]
    for line in all.split(separator: "\n") {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let name: String = line[..<colon].trimmingCharacters(in: .whitespaces)
      let value: String = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      values[name, default: []].append(value)
    }
    return values
  }

  /// The number of different pairs of socket and core.
  private static var physicalCores: Int32? {
    let known: [String: [String]] = processors
    guard let sockets = known["physical id"], let cores = known["core id"],
      sockets.count == cores.count
    else { return nil }
    return Int32(Set(zip(sockets, cores).map { "\($0) \($1)" }).count)
  }
}

extension ProcessInfo {
  /// How hot the system is. Raw values are Apple's.
  public enum ThermalState: Int, Sendable {
    /// As usual.
    case nominal = 0
    /// Warm: a passive trip point is reached.
    case fair = 1
    /// Hot: a hot trip point is reached.
    case serious = 2
    /// A critical trip point is reached.
    case critical = 3
  }

  /// The state of the hottest sensor below `/sys/class/thermal`, by the kernel's trip points. `nominal` if there are none,
  /// as in virtual machines.
  public var thermalState: ThermalState {
    ThermalState(zones: URL(fileURLWithPath: "/sys/class/thermal"))
  }

  /// Whether the user saves energy. Always false.
  public var isLowPowerModeEnabled: Bool { false }

  /// The name of a notification that nobody posts on Linux. Read ``thermalState`` instead.
  public static let thermalStateDidChangeNotification = Notification.Name(
    "NSProcessInfoThermalStateDidChangeNotification")
}

extension ProcessInfo.ThermalState {
  /// Reads the kernel's thermal zones.
  ///
  /// - Parameter zones: A folder with the folders `thermal_zone0`, `thermal_zone1`, …
  package init(zones: URL) {
    func text(_ zone: URL, _ name: String) -> String? {
      (try? String(contentsOf: zone.appendingPathComponent(name), encoding: .utf8))?
        .trimmingCharacters(in: .whitespacesAndNewlines)
    }
    let states: [String: Self] = ["passive": .fair, "hot": .serious, "critical": .critical]
    let names: [String] = (try? FileManager.default.contentsOfDirectory(atPath: zones.path)) ?? []
    var highest: Self = .nominal
    for name in names where name.hasPrefix("thermal_zone") {
      let zone: URL = zones.appendingPathComponent(name)
      guard let temperature = text(zone, "temp").flatMap(Int.init) else { continue }
      var trip = 0
      while let type = text(zone, "trip_point_\(trip)_type") {
        // A trip point at or below 0 is not in use.
        if let limit = text(zone, "trip_point_\(trip)_temp").flatMap(Int.init), limit > 0,
          temperature >= limit, let state = states[type], state.rawValue > highest.rawValue
        {
          highest = state
        }
        trip += 1
      }
    }
    self = highest
  }
}
