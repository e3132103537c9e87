import AppleFoundation
import Foundation
import Testing

/// What Foundation brings only on Apple's systems.
struct FoundationTests {
  private final class Counter: @unchecked Sendable {
    // Sendable: the tests lock the object.
    var count = 0
  }

  @Test("objc_sync_enter excludes other threads, and a thread may enter twice")
  func locks() {
    let counter = Counter()
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<5_000 {
        objc_sync_enter(counter)
        #expect(objc_sync_enter(counter) == 0)
        counter.count += 1
        objc_sync_exit(counter)
        objc_sync_exit(counter)
      }
    }
    #expect(counter.count == 20_000)
    #expect(objc_sync_exit(counter) == -1)
  }

  @Observable
  final class Setting {
    var value = 1
  }

  @Test("Observable classes need no further import")
  func observable() {
    let setting = Setting()
    let changed = Counter()
    withObservationTracking {
      _ = setting.value
    } onChange: {
      changed.count += 1
    }
    setting.value = 2
    #expect(changed.count == 1)
  }

  @Test("Numbers with fractions are floating-point numbers")
  func numbers() {
    #expect(
      CFNumberIsFloatType(NSNumber(value: 0.5)) && CFNumberIsFloatType(NSNumber(value: Float(1))))
    #expect(!CFNumberIsFloatType(NSNumber(value: 3)) && !CFNumberIsFloatType(NSNumber(value: true)))
  }
}
