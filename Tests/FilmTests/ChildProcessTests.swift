import FFmpeg
import Testing

/// Tests the processes of ffmpeg and ffprobe.
struct ChildProcessTests {
  @Test("A program that is not there any more is named, with the system's reason")
  func missing() throws {
    let error = try #require(throws: FilmError.self) { try ChildProcess("/nowhere/ffmpeg", []) }
    #expect(
      "\(error)"
        == "The program '/nowhere/ffmpeg' could not be started: No such file or directory.")
  }
}
