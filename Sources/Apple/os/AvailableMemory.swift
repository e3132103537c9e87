import Foundation

/// The bytes that the system can give to this process without swapping, as the kernel estimates them (`MemAvailable` of
/// `/proc/meminfo`). 0 if the kernel does not say. Linux sets no limit for one process, as iOS does.
public func os_proc_available_memory() -> Int {
  let text: String = (try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8)) ?? ""
  for line in text.split(separator: "\n") where line.hasPrefix("MemAvailable:") {
    let words: [Substring] = line.split(whereSeparator: \.isWhitespace)
    return words.count == 3 ? (Int(words[1]) ?? 0) &* 1024 : 0
  }
  return 0
}
