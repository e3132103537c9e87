import Foundation
import Platform

/// Pixel buffers of one size and format, whose memory is used again.
///
/// When a buffer of the pool is released, its memory waits in the pool for the next buffer. Memory that has waited for
/// the maximum age is freed, except for that of the minimum number of buffers.
public final class CVPixelBufferPool: Sendable {
  fileprivate let poolAttributes: [String: Int]
  fileprivate let pixelFormat: OSType
  fileprivate let size: (width: Int, height: Int)
  fileprivate let alignment: Int
  fileprivate let memory: PoolMemory

  fileprivate init(
    _ pool: CFDictionary?, _ buffers: CFDictionary?
  ) throws(PixelBufferFailure) {
    // A list of formats means that the pool may choose.
    let wanted: Any? = buffers?[kCVPixelBufferPixelFormatTypeKey]
    guard let format = integer((wanted as? [Any])?.first ?? wanted),
      let pixelFormat = OSType(exactly: format),
      let width = integer(buffers?[kCVPixelBufferWidthKey]),
      let height = integer(buffers?[kCVPixelBufferHeightKey])
    else { throw PixelBufferFailure(kCVReturnInvalidPixelBufferAttributes) }
    let layout = try PixelBufferLayout(
      width: width, height: height, pixelFormat: pixelFormat, attributes: buffers)
    self.pixelFormat = pixelFormat
    size = (width, height)
    alignment = layout.alignment
    let minimum: Int = max(0, integer(pool?[kCVPixelBufferPoolMinimumBufferCountKey]) ?? 0)
    let age: Double =
      (pool?[kCVPixelBufferPoolMaximumBufferAgeKey] as? NSNumber)?.doubleValue ?? 1
    poolAttributes = [kCVPixelBufferPoolMinimumBufferCountKey: minimum]
    memory = PoolMemory(layout, minimum: minimum, age: .seconds(max(0, min(age, 1e9))))
  }
}

/// The memory of a pool. Buffers hold it, so that it exists as long as one of them.
private final class PoolMemory: @unchecked Sendable {
  // Sendable: the layout is a constant, and a lock protects the blocks.

  private struct Waiting {
    let block: UnsafeMutableRawPointer
    let since: ContinuousClock.Instant
  }

  private let layout: PixelBufferLayout
  private let minimum: Int
  private let age: Duration
  private let state: Locked<(waiting: [Waiting], used: Int)> = Locked(([], 0))

  init(_ layout: PixelBufferLayout, minimum: Int, age: Duration) {
    self.layout = layout
    self.minimum = minimum
    self.age = age
  }

  deinit { flush(all: true) }

  /// Makes a buffer.
  ///
  /// - Parameter threshold: The number of buffers in use from which on the pool makes no buffer.
  func buffer(threshold: Int?) throws(PixelBufferFailure) -> CVPixelBuffer {
    let (found, isAllowed) = state.withLock { state in
      guard state.used < threshold ?? .max else { return (UnsafeMutableRawPointer?.none, false) }
      state.used += 1
      return (state.waiting.popLast()?.block, true)
    }
    guard isAllowed else { throw PixelBufferFailure(kCVReturnWouldExceedAllocationThreshold) }
    flush(all: false)
    do throws(PixelBufferFailure) {
      let block: UnsafeMutableRawPointer
      if let found { block = found } else { block = try layout.allocate() }
      // Safe: the block belongs to the buffer until the buffer is released.
      nonisolated(unsafe) let owned: UnsafeMutableRawPointer = block
      return layout.buffer(over: block) { self.take(owned) }
    } catch {
      state.withLock { $0.used -= 1 }
      throw error
    }
  }

  private func take(_ block: UnsafeMutableRawPointer) {
    state.withLock { state in
      state.used -= 1
      state.waiting.append(Waiting(block: block, since: .now))
    }
    flush(all: false)
  }

  /// Frees the memory that has waited for too long, or all that waits.
  func flush(all: Bool) {
    let now = ContinuousClock.Instant.now
    state.withLock { state in
      // The memory that has waited longest comes first.
      while let oldest = state.waiting.first,
        all || (state.used + state.waiting.count > minimum && now - oldest.since > age)
      {
        free(oldest.block)
        state.waiting.removeFirst()
      }
    }
  }
}

/// What `CVPixelBufferPoolFlush` frees.
public struct CVPixelBufferPoolFlushFlags: OptionSet, Sendable {
  /// The bits of the flags.
  public let rawValue: UInt64

  /// Makes flags from their bits.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Frees all memory that no buffer uses, also that which has not reached the maximum age.
  public static let excessBuffers = CVPixelBufferPoolFlushFlags(rawValue: 1)
}

/// How many buffers a pool keeps the memory of, a number.
public let kCVPixelBufferPoolMinimumBufferCountKey: CFString = "MinimumBufferCount"

/// For how many seconds the memory of further buffers waits, a number. 1 by default.
public let kCVPixelBufferPoolMaximumBufferAgeKey: CFString = "MaximumBufferAge"

/// With this number of buffers in use, `CVPixelBufferPoolCreatePixelBufferWithAuxAttributes` makes no further one.
public let kCVPixelBufferPoolAllocationThresholdKey: CFString = "BufferPoolAllocationThreshold"

/// Makes a pool.
///
/// - Parameters:
///   - poolAttributes: The minimum number and the maximum age.
///   - pixelBufferAttributes: The width, the height and the pixel format, which are required.
/// - Returns: `kCVReturnSuccess`, or `kCVReturnInvalidPixelBufferAttributes` if an attribute is missing, or the error
///   that `CVPixelBufferCreate` returns for the size and the format.
@discardableResult
public func CVPixelBufferPoolCreate(
  _ allocator: CFAllocator?, _ poolAttributes: CFDictionary?,
  _ pixelBufferAttributes: CFDictionary?, _ poolOut: UnsafeMutablePointer<CVPixelBufferPool?>
) -> CVReturn {
  do throws(PixelBufferFailure) {
    poolOut.pointee = try CVPixelBufferPool(poolAttributes, pixelBufferAttributes)
    return kCVReturnSuccess
  } catch { return error.status }
}

/// Makes a buffer with memory of the pool. The pixels of memory that is used again are those of an earlier buffer.
@discardableResult
public func CVPixelBufferPoolCreatePixelBuffer(
  _ allocator: CFAllocator?, _ pixelBufferPool: CVPixelBufferPool,
  _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
  CVPixelBufferPoolCreatePixelBufferWithAuxAttributes(
    allocator, pixelBufferPool, nil, pixelBufferOut)
}

/// Makes a buffer with memory of the pool, unless the number of the attribute
/// ``kCVPixelBufferPoolAllocationThresholdKey`` are in use.
///
/// - Returns: `kCVReturnSuccess`, `kCVReturnWouldExceedAllocationThreshold` or `kCVReturnAllocationFailed`.
@discardableResult
public func CVPixelBufferPoolCreatePixelBufferWithAuxAttributes(
  _ allocator: CFAllocator?, _ pixelBufferPool: CVPixelBufferPool,
  _ auxAttributes: CFDictionary?, _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
  do throws(PixelBufferFailure) {
    pixelBufferOut.pointee = try pixelBufferPool.memory.buffer(
      threshold: integer(auxAttributes?[kCVPixelBufferPoolAllocationThresholdKey]))
    return kCVReturnSuccess
  } catch { return error.status }
}

/// Frees memory that no buffer uses: that which has reached the maximum age, or all with the flag `excessBuffers`.
public func CVPixelBufferPoolFlush(
  _ pool: CVPixelBufferPool, _ options: CVPixelBufferPoolFlushFlags
) {
  pool.memory.flush(all: options.contains(.excessBuffers))
}

/// Returns the minimum number of buffers.
public func CVPixelBufferPoolGetAttributes(_ pool: CVPixelBufferPool) -> CFDictionary? {
  pool.poolAttributes as CFDictionary
}

/// Returns the size and the format of the pool's buffers.
public func CVPixelBufferPoolGetPixelBufferAttributes(_ pool: CVPixelBufferPool) -> CFDictionary? {
  [
    kCVPixelBufferPixelFormatTypeKey: Int(pool.pixelFormat),
    kCVPixelBufferWidthKey: pool.size.width, kCVPixelBufferHeightKey: pool.size.height,
    kCVPixelBufferBytesPerRowAlignmentKey: pool.alignment,
  ] as CFDictionary
}
