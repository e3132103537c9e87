/// Places buffers in one arena so that buffers with overlapping lifetimes do not overlap in memory.
///
/// Greedy by size: places the largest buffer first. Each buffer gets the lowest offset that is free during its
/// lifetime. This strategy comes from “Efficient Memory Management for Deep Neural Net Inference” (Pisarchyk and Lee,
/// 2020, arXiv:2001.03288). For networks like ours, the arena is at most a few per cent larger than the largest sum of
/// the sizes of the buffers that are alive at one time.
struct MemoryPlanner {
  /// A buffer, by its index.
  struct BufferID: Hashable, Sendable {
    let index: Int
  }

  private struct Buffer {
    var byteCount: Int
    var first: Int
    var last: Int
    var offset = 0
  }

  private var buffers: [Buffer] = []
  /// The size of the arena in bytes, after ``place()``.
  private(set) var byteCount = 0

  /// Adds a buffer whose lifetime starts at the call with the index `time`.
  mutating func add(byteCount: Int, from time: Int) -> BufferID {
    buffers.append(Buffer(byteCount: byteCount, first: time, last: time))
    return BufferID(index: buffers.count - 1)
  }

  /// Extends a buffer's lifetime to the call with the index `time`.
  mutating func use(_ buffer: BufferID, at time: Int) {
    buffers[buffer.index].last = max(buffers[buffer.index].last, time)
  }

  /// Removes a buffer from the arena, because the caller supplies the buffer's memory.
  ///
  /// - Returns: The buffer's size in bytes.
  mutating func leaveOut(_ buffer: BufferID) -> Int {
    defer { buffers[buffer.index].byteCount = 0 }
    return buffers[buffer.index].byteCount
  }

  /// Extends a buffer's lifetime beyond the end of the run, until the caller has read the buffer.
  mutating func keepToEnd(_ buffer: BufferID) { buffers[buffer.index].last = Int.max }

  /// Returns the offset of a buffer in the arena, in bytes. It is a multiple of 64.
  func offset(of buffer: BufferID) -> Int { buffers[buffer.index].offset }

  /// Assigns every buffer an offset. Throws if sizes overflow.
  ///
  /// No order of buffers of equal size is always best. This function therefore tries two orders, earliest first and
  /// latest first, and takes the order with the smaller arena.
  mutating func place() throws {
    guard buffers.allSatisfy({ $0.byteCount < Int.max / 4 }) else {
      throw EngineError(.outOfMemory, "a tensor is larger than any memory; use a smaller input.")
    }
    place(buffers.indices.sorted { isLarger($0, $1) ?? ($0 < $1) })
    guard buffers.count <= Self.largestCountForTwoOrders else { return }
    var other: MemoryPlanner = self
    other.place(buffers.indices.sorted { isLarger($0, $1) ?? ($0 > $1) })
    if other.byteCount < byteCount { self = other }
  }

  /// If a graph has more buffers than this, only one order is tried, so that planning stays quick.
  private static let largestCountForTwoOrders = 4096

  /// Returns whether the left buffer is larger than the right one. Nil if their sizes are equal.
  private func isLarger(_ left: Int, _ right: Int) -> Bool? {
    let (a, b) = (buffers[left].byteCount, buffers[right].byteCount)
    return a == b ? nil : a > b
  }

  private mutating func place(_ order: [Int]) {
    var placed = IntervalIndex(buffers.map(\.first).max() ?? 0)
    byteCount = 0
    for index in order {
      let buffer = buffers[index]
      let size = Self.rounded(buffer.byteCount)
      var neighbours: [(start: Int, end: Int)] = []
      placed.forEach(from: buffer.first, to: buffer.last) { candidate in
        let other = buffers[candidate]
        guard other.first <= buffer.last, buffer.first <= other.last else { return }
        neighbours.append((other.offset, other.offset + Self.rounded(other.byteCount)))
      }
      neighbours.sort { $0.start < $1.start }
      var offset = 0
      for neighbour in neighbours {
        if offset + size <= neighbour.start { break }
        offset = max(offset, neighbour.end)
      }
      buffers[index].offset = offset
      byteCount = max(byteCount, offset + size)
      placed.add(index, from: buffer.first, to: buffer.last)
    }
  }

  /// Rounds up to full cache lines of 64 bytes.
  private static func rounded(_ byteCount: Int) -> Int { (byteCount + 63) & ~63 }
}

/// Finds the buffers that are alive in an interval of time without looking at all buffers. Time is divided into slots
/// of equal length. Each slot lists the buffers that are alive in it.
private struct IntervalIndex {
  private let length: Int
  private var buffersBySlot: [[Int]]
  /// For each buffer, the number of the query that last returned it. This prevents a query from returning a buffer
  /// twice.
  private var lastQueries: [Int] = []
  private var query = 0

  /// Creates an index for the times from 0 to `latest`. No lifetime starts after `latest`. Lifetimes may end later: the
  /// last slot covers all later times too.
  init(_ latest: Int) {
    // Many slots make queries short. Few slots make it cheap to add buffers with long lifetimes.
    length = max(1, (latest + 1) / 512)
    buffersBySlot = [[Int]](repeating: [], count: latest / length + 1)
  }

  private func slots(from first: Int, to last: Int) -> ClosedRange<Int> {
    first / length...min(last / length, buffersBySlot.count - 1)
  }

  mutating func add(_ buffer: Int, from first: Int, to last: Int) {
    for slot in slots(from: first, to: last) { buffersBySlot[slot].append(buffer) }
    if lastQueries.count <= buffer {
      lastQueries += [Int](repeating: 0, count: buffer + 1 - lastQueries.count)
    }
  }

  /// Calls the closure once for every buffer that is alive in one of the slots.
  mutating func forEach(from first: Int, to last: Int, _ body: (Int) -> Void) {
    query += 1
    for slot in slots(from: first, to: last) {
      for buffer in buffersBySlot[slot] where lastQueries[buffer] != query {
        lastQueries[buffer] = query
        body(buffer)
      }
    }
  }
}
