import Testing

@testable import Engine

@Suite("Memory planning")
struct MemoryPlannerTests {
  struct Life {
    var buffer: MemoryPlanner.BufferID
    var byteCount: Int
    var first: Int
    var last: Int
  }

  /// Plans 60 buffers with pseudo-random sizes and lifetimes.
  private func planned(seed: UInt64) throws -> (MemoryPlanner, [Life]) {
    var generator = SplitMix64(seed: seed)
    var planner = MemoryPlanner()
    var lives: [Life] = []
    for first in 1...60 {
      let size = Int.random(in: 0...100_000, using: &generator)
      let last = first + Int.random(in: 0...6, using: &generator)
      let buffer = planner.add(byteCount: size, from: first)
      planner.use(buffer, at: last)
      lives.append(Life(buffer: buffer, byteCount: size, first: first, last: last))
    }
    try planner.place()
    return (planner, lives)
  }

  @Test("Buffers with overlapping lifetimes do not overlap in memory", arguments: UInt64(1)...20)
  func noOverlap(seed: UInt64) throws {
    let (planner, lives) = try planned(seed: seed)
    for (position, one) in lives.enumerated() {
      for other in lives[(position + 1)...]
      where one.first <= other.last && other.first <= one.last {
        let (a, b) = (planner.offset(of: one.buffer), planner.offset(of: other.buffer))
        #expect(a + one.byteCount <= b || b + other.byteCount <= a)
      }
    }
  }

  @Test("The arena is at most 25% larger than the peak of live bytes", arguments: UInt64(1)...20)
  func closeToTheBound(seed: UInt64) throws {
    let (planner, lives) = try planned(seed: seed)
    let bound = (1...66).map { time in
      lives.filter { $0.first <= time && time <= $0.last }.reduce(0) { $0 + $1.byteCount }
    }.max()
    #expect(planner.byteCount <= (bound ?? 0) * 5 / 4 + 64 * 60)
    #expect(planner.byteCount >= bound ?? 0)
  }

  @Test("Every offset is a multiple of a cache line")
  func alignment() throws {
    let (planner, lives) = try planned(seed: 7)
    #expect(lives.allSatisfy { planner.offset(of: $0.buffer) % 64 == 0 })
  }

  @Test("A tensor larger than any memory is refused")
  func overflow() throws {
    var planner = MemoryPlanner()
    _ = planner.add(byteCount: Int.max, from: 0)
    #expect(throws: EngineError.self) { try planner.place() }
  }
}
