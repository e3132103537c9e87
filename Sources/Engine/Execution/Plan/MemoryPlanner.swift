/// Places buffers in one arena so that those which live at the same time do not overlap.
///
/// Greedy by size, largest first, each at the lowest offset that is free during its life: the
/// strategy of “Efficient Memory Management for Deep Neural Net Inference” (Pisarchyk and Lee, 2020,
/// arXiv:2001.03288), within a few per cent of the lower bound on networks like ours.
struct MemoryPlanner {
  /// A buffer by its number.
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
  /// The size of the arena once placed, in bytes.
  private(set) var byteCount = 0

  /// A new buffer that lives from the given call on.
  mutating func add(byteCount: Int, from time: Int) -> BufferID {
    buffers.append(Buffer(byteCount: byteCount, first: time, last: time))
    return BufferID(index: buffers.count - 1)
  }

  /// Extends a buffer's life to the given call.
  mutating func use(_ buffer: BufferID, at time: Int) {
    buffers[buffer.index].last = max(buffers[buffer.index].last, time)
  }

  /// Takes a buffer out of the arena: its memory is the caller's.
  ///
  /// - Returns: its size in bytes.
  mutating func leaveOut(_ buffer: BufferID) -> Int {
    defer { buffers[buffer.index].byteCount = 0 }
    return buffers[buffer.index].byteCount
  }

  /// Keeps a buffer until the caller has read it.
  mutating func keepToTheEnd(_ buffer: BufferID) { buffers[buffer.index].last = Int.max }

  /// Where a buffer starts, in bytes from the arena's start; a multiple of 64.
  func offset(of buffer: BufferID) -> Int { buffers[buffer.index].offset }

  /// Gives every buffer its offset. Throws when sizes overflow.
  ///
  /// Among buffers of one size no order is always right, so the earliest first and the latest first are both tried.
  mutating func place() throws {
    guard buffers.allSatisfy({ $0.byteCount < Int.max / 4 }) else {
      throw EngineError(.outOfMemory, "a tensor is larger than any memory; use a smaller input.")
    }
    place(buffers.indices.sorted { isLarger($0, $1) ?? ($0 < $1) })
    guard buffers.count <= Self.mostForTwoOrders else { return }
    var other: MemoryPlanner = self
    other.place(buffers.indices.sorted { isLarger($0, $1) ?? ($0 > $1) })
    if other.byteCount < byteCount { self = other }
  }

  /// Graphs with more buffers are placed once, so that planning stays quick.
  private static let mostForTwoOrders = 4096

  /// Whether one buffer is larger than another; nil where they are of one size.
  private func isLarger(_ left: Int, _ right: Int) -> Bool? {
    let (a, b) = (buffers[left].byteCount, buffers[right].byteCount)
    return a == b ? nil : a > b
  }

  private mutating func place(_ order: [Int]) {
    var placed = Calendar(buffers.map(\.first).max() ?? 0)
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

  /// Whole cache lines.
  private static func rounded(_ byteCount: Int) -> Int { (byteCount + 63) & ~63 }
}

/// Finds the buffers that live in a stretch of time without asking all: time is cut into stretches of
/// equal length, and each knows who lives in it.
private struct Calendar {
  private let length: Int
  private var lives: [[Int]]
  /// The question that last met each buffer, so that none is answered twice.
  private var met: [Int] = []
  private var question = 0

  /// A calendar from time 0 to the latest first use of a buffer.
  init(_ latest: Int) {
    // Many stretches make questions short, few make long lives cheap.
    length = max(1, (latest + 1) / 512)
    lives = [[Int]](repeating: [], count: latest / length + 1)
  }

  private func stretches(from first: Int, to last: Int) -> ClosedRange<Int> {
    first / length...min(last / length, lives.count - 1)
  }

  mutating func add(_ buffer: Int, from first: Int, to last: Int) {
    for stretch in stretches(from: first, to: last) { lives[stretch].append(buffer) }
    if met.count <= buffer { met += [Int](repeating: 0, count: buffer + 1 - met.count) }
  }

  /// Calls the closure once with every buffer that lives in one of the stretches.
  mutating func forEach(from first: Int, to last: Int, _ body: (Int) -> Void) {
    question += 1
    for stretch in stretches(from: first, to: last) {
      for buffer in lives[stretch] where met[buffer] != question {
        met[buffer] = question
        body(buffer)
      }
    }
  }
}
