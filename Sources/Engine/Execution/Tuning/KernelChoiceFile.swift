import CKernels
import COneDNN
import Files
import Foundation

/// A file of kernel choices for one machine, in the user's cache.
///
/// Lines of text: the version of the format, the machine, then a choice a line, its words separated by tabs: the
/// key, the kernel, and for every candidate that was timed its name and milliseconds. Nothing in it is trusted: a
/// line that is none is passed over, and a kernel that a node has no candidate for is not taken.
struct KernelChoiceFile: Sendable {
  /// The path.
  let path: String
  /// All that the times depend on beside the key.
  let machine: String

  private static let version = "atelier kernel choices 1"
  /// Raised when kernels become faster or slower: older choices are not read then.
  private static let kernelVersion = 9
  /// The most choices that are kept; the oldest go first.
  private static let mostChoices = 4096
  private static let mostBytes = 8 << 20

  /// The file of this machine under `XDG_CACHE_HOME`, or `.cache` in the user's folder; nil where there is neither.
  static func ofThisMachine() -> KernelChoiceFile? {
    let caches: String
    if let path = environment("XDG_CACHE_HOME") {
      caches = path
    } else if let home = environment("HOME") {
      caches = home + "/.cache"
    } else {
      return nil
    }
    let machine =
      "\(String(cString: ck_processor_name())); features \(adnn_cpu_features());"
      + " oneDNN \(String(cString: adnn_version())); kernels \(kernelVersion)"
    var hash = FowlerHash()
    hash.add(machine)
    return KernelChoiceFile(path: "\(caches)/atelier/kernels-\(hash.text).txt", machine: machine)
  }

  /// A path from the environment; the specification of XDG's folders passes over those that are not absolute.
  private static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
  }

  /// All choices in the file; none where it is missing, of another version or machine, or no file.
  func read() -> [String: KernelChoice] {
    Dictionary(lines(), uniquingKeysWith: { $1 })
  }

  /// Puts choices into the file, beside what others have put there since it was read.
  ///
  /// - Throws: `FileError` where the folder cannot be written to.
  func add(_ choices: [String: KernelChoice]) throws {
    let folder: String = (path as NSString).deletingLastPathComponent
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    var all = lines().filter { choices[$0.0] == nil }
    all += choices.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    let text: String =
      ([Self.version, machine] + all.suffix(Self.mostChoices).map(Self.line)).joined(
        separator: "\n") + "\n"
    try WholeFile.write(Data(text.utf8), to: path)
  }

  /// The choices in the file's order. Bytes are taken apart, as characters would take milliseconds.
  private func lines() -> [(String, KernelChoice)] {
    guard let bytes = contents() else { return [] }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard lines.count > 2, Self.text(lines[0]) == Self.version, Self.text(lines[1]) == machine
    else { return [] }
    // What stands after the last line break was cut off.
    return lines[2..<lines.count - 1].compactMap(Self.choice)
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }

  private static func line(_ entry: (key: String, choice: KernelChoice)) -> String {
    var words: [String] = [entry.key, entry.choice.kernel]
    for time in entry.choice.times { words += [time.kernel, "\(time.milliseconds)"] }
    return words.joined(separator: "\t")
  }

  private static func choice(_ line: ArraySlice<UInt8>) -> (String, KernelChoice)? {
    let words: [String] =
      line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false).map(text)
    guard words.count >= 2, words.count % 2 == 0, !words[0].isEmpty, !words[1].isEmpty else {
      return nil
    }
    var times: [KernelTime] = []
    for position in stride(from: 2, to: words.count, by: 2) {
      guard let time = Double(words[position + 1]), time.isFinite, time >= 0 else { return nil }
      times.append(KernelTime(kernel: words[position], milliseconds: time))
    }
    return (words[0], KernelChoice(kernel: words[1], times: times))
  }

  /// The file's bytes; nil where it is missing, too large, or no file.
  private func contents() -> [UInt8]? {
    // Does not wait where somebody has put a pipe there.
    let descriptor: Int32 = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size <= Self.mostBytes
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var count = 0
    while count < bytes.count {
      // Safe: the system reads no more than what is left of the array.
      let added: Int = bytes.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress.map { $0 + count }, $0.count - count)
      }
      if added < 0, errno == EINTR { continue }
      guard added > 0 else { break }
      count += added
    }
    return Array(bytes[..<count])
  }
}
