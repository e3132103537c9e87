import Foundation
import OSLog
import Testing
import os
import os.lock
import os.log
import os.signpost

@testable import os

@Suite("Logs and locks of the module os")
struct LogTests {
  @Test("A message shows public values, formats numbers and hides private values")
  func message() {
    let name = "cat"
    let message: OSLogMessage =
      "\(name, privacy: .public) \(name, privacy: .private) \(3.14159, format: .fixed(precision: 2)) \(255, format: .hex(includePrefix: true)) \(true, format: .answer) [\(7, align: .right(columns: 3))]"
    #expect(message.text == "cat <private> 3.14 0xff YES [  7]")
  }

  @Test("Values of many types can be interpolated")
  func types() {
    let number: Float = 0.5
    let list = [1, 2]
    let error = CocoaError(.fileNoSuchFile)
    let object = NSNumber(value: 3)
    let message: OSLogMessage =
      "\(number) \(list) \(object) \(Int8(-3)) \(UUID.self) \(-1, format: .hex)"
    #expect(message.text == "0.500000 [1, 2] 3 -3 UUID ffffffffffffffff")
    let failure: OSLogMessage = "\(error as any Error)"
    #expect(!failure.text.isEmpty)
    let described: OSLogMessage = "\(error.localizedDescription, privacy: .public)"
    #expect(!described.text.isEmpty)
  }

  @Test("A masked value is the same for equal values only")
  func mask() {
    let first: OSLogMessage = "\("a", privacy: .private(mask: .hash))"
    let same: OSLogMessage = "\("a", privacy: .private(mask: .hash))"
    let other: OSLogMessage = "\("b", privacy: .private(mask: .hash))"
    #expect(first.text == same.text && first.text != other.text)
  }

  @Test("A format with os_log's options prints as C does")
  func format() {
    let text: String = LogFormat("%{public}@ %d %.2f 100%% %{private}s %5d|").text([
      NSString("x"), 42, 2.5, NSString("secret"), 7,
    ])
    #expect(text == "x 42 2.50 100% <private>     7|")
    #expect(LogFormat("%d %d").text([1]) == "1 <missing argument>")
  }

  @Test("A line has the time, the process, the log and the level")
  func line() throws {
    let line: String = LogWriter.line(
      "ready", type: .error, log: OSLog(subsystem: "com.example", category: "model"))
    let pattern = try Regex(
      #"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}[+-]\d{4} .+\[\d+:\d+\] \[com\.example:model\] error: ready\n$"#
    )
    #expect(line.wholeMatch(of: pattern) != nil, "\(line)")
  }

  @Test("OS_LOG_LEVEL chooses the lowest level that is written")
  func levels() {
    #expect(LogWriter.severity(named: nil) == OSLogType.default.severity)
    #expect(LogWriter.severity(named: "debug") < LogWriter.severity(named: "info"))
    #expect(LogWriter.severity(named: "off") > OSLogType.fault.severity)
    #expect(!OSLog.disabled.isEnabled(type: .fault))
  }

  @Test("Loggers, os_log and signposters compile as on Apple's systems")
  func calls() {
    let logger = Logger(subsystem: "com.example", category: "model")
    logger.debug("loaded \(3) layers")
    logger.log(level: .debug, "\(String(describing: Optional(3)), privacy: .public)")
    os_log("plain", type: .debug)
    os_log(.debug, "plain")
    os_log(.debug, log: .default, "value %d", 3)
    os_log("value %{public}@", log: .default, type: .debug, NSString("x"))
    let value = 3
    os_log(.debug, "value \(value)")
    let signposter = OSSignposter(logger: logger)
    let state = signposter.beginInterval("Predict", id: signposter.makeSignpostID())
    signposter.endInterval("Predict", state)
    signposter.endInterval("Predict", state, "with \(value)")
    signposter.emitEvent("Loaded")
    #expect(signposter.withIntervalSignpost("Predict") { 5 } == 5)
    let log = OSLog(subsystem: "com.example", category: .pointsOfInterest)
    os_signpost(.begin, log: log, name: "Run")
    os_signpost(.end, log: log, name: "Run", "%d", value)
  }

  @Test("Two threads count to 200,000 under an unfair lock")
  func counting() async {
    let lock = OSAllocatedUnfairLock(initialState: 0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask { for _ in 0..<50_000 { lock.withLock { $0 += 1 } } }
      }
    }
    #expect(lock.withLock { $0 } == 200_000)
  }

  @Test("An unfair lock that is held is not available to another thread")
  func unavailable() async {
    let lock = OSAllocatedUnfairLock()
    lock.lock()
    lock.precondition(.owner)
    let isFree: Bool = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: lock.lockIfAvailable()) }
    }
    #expect(!isFree)
  }

  @Test("An os_unfair_lock locks and unlocks")
  func plainLock() {
    var lock = os_unfair_lock()
    os_unfair_lock_lock(&lock)
    #expect(!os_unfair_lock_trylock(&lock))
    os_unfair_lock_unlock(&lock)
    #expect(os_unfair_lock_trylock(&lock))
    os_unfair_lock_unlock(&lock)
  }

  @Test("Code that ends any lock as a mutex compiles with an unfair lock and with a mutex")
  func endedLock() {
    var lock = os_unfair_lock()
    pthread_mutex_destroy(&lock)
    #expect(os_unfair_lock_trylock(&lock))
    os_unfair_lock_unlock(&lock)
    var mutex = pthread_mutex_t()
    #expect(pthread_mutex_init(&mutex, nil) == 0)
    #expect(pthread_mutex_destroy(&mutex) == 0)
  }
}
