// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Stack overflows, null references, garbage, threads and children, until the file
// that is named is gone.
public class Work {
	static volatile long sum;
	static String nothing;

	static int forever(int n) { return forever(n + 1) + 1; }

	static boolean overflows() {
		try { forever(0); } catch (StackOverflowError e) { return true; }
		return false;
	}

	static boolean isNull() {
		try { sum += nothing.length(); } catch (NullPointerException e) { return true; }
		return false;
	}

	public static void main(String[] args) throws Exception {
		java.io.File file = new java.io.File(args[0]);
		boolean[] wrong = { false };
		long rounds = 0;
		System.out.println("ready");
		System.out.flush();
		Thread reader = new Thread(() -> {
			while (file.exists())
				try { new java.io.FileInputStream("/proc/self/stat").close(); } catch (Exception e) { wrong[0] = true; }
		});
		reader.start();
		for (; file.exists(); rounds++) {
			byte[] garbage = new byte[100000];
			sum += garbage.length;
			if (!isNull() || !overflows()) wrong[0] = true;
			if (rounds % 20 == 0) System.gc();
			if (rounds % 50 == 0 && new ProcessBuilder("/bin/true").start().waitFor() != 0) wrong[0] = true;
			Thread thread = new Thread(() -> { if (!overflows()) wrong[0] = true; });
			thread.start();
			thread.join();
		}
		reader.join();
		System.out.println("done " + (rounds > 0 && !wrong[0]));
	}
}
