import CKernels
import COneDNN
import Files
import Foundation
import Platform

/// A file of kernel choices for one machine, in the user's cache folder.
///
/// Lines of text: the version of the format, the machine, then one choice per line. The fields of a choice are
/// separated by tabs: the key, the kernel, and the name and milliseconds of each timed candidate. The file is not
/// trusted. A malformed line is skipped, and a kernel is ignored if the node has no such candidate.
struct KernelChoiceFile: Sendable {
  /// The path of the file.
  let path: String
  /// Text that names everything on which the times depend, except the parts of a choice's key.
  let machine: String

  private static let version = "atelier kernel choices 1"
  /// The version of the kernels. Raise it when kernels are renamed or become faster or slower. Choices in files of
  /// older versions are then ignored.
  private static let kernelVersion = 13
  /// The largest number of choices. The oldest choices are removed first.
  private static let mostChoices = 4096
  private static let mostBytes = 8 << 20

  /// Returns the file of this machine in `XDG_CACHE_HOME`, or in `.cache` in the home folder. Nil if neither is set.
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
    var hash = FNV1a()
    hash.add(machine.utf8, endedBy: 0)
    return KernelChoiceFile(path: "\(caches)/atelier/kernels-\(hash.text).txt", machine: machine)
  }

  /// Returns a path from the environment. Ignores relative paths, as the XDG specification asks.
  private static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
  }

  /// Returns all choices in the file. Empty if the file is missing or malformed, or if it is for another version or
  /// machine.
  func read() -> [String: KernelChoice] {
    Dictionary(lines(), uniquingKeysWith: { $1 })
  }

  /// Adds choices to the file and keeps those that other processes have added since this process read the file.
  ///
  /// - Throws: `FileError` if the folder is not writable.
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

  /// Returns the choices in the file's order. Works on bytes, because splitting the text by characters would take
  /// milliseconds.
  private func lines() -> [(String, KernelChoice)] {
    guard let bytes = contents() else { return [] }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard lines.count > 2, Self.text(lines[0]) == Self.version, Self.text(lines[1]) == machine
    else { return [] }
    // Text after the last line break is not a complete line.
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

  /// Returns the file's bytes. Nil if the file is missing, too large, or not a regular file.
  private func contents() -> [UInt8]? {
    // With O_NONBLOCK, the call does not block if the path is a pipe.
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
      // Safe: the system reads no more than the rest of the array.
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
