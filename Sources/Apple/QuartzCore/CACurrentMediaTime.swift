@_exported import CoreFoundation
@_exported import CoreGraphics
import Glibc

/// Returns the seconds of the system's monotonic clock. Like Apple's clock, it stops while the machine sleeps.
public func CACurrentMediaTime() -> CFTimeInterval {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
}
